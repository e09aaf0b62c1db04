# Swift on Linux with storage-bench installed, for machines without Linux, such as a Mac.
#
#   docker build -t storage-bench .
#   docker run --rm -v "$PWD/results:/storage-bench/results" storage-bench [ARGUMENTS]
#
# This image has not been built: the authors' machine cannot pull images. The version of Swift is the one in costs.csv.
# Debian 12 has the SQLite of costs.csv, 3.40.1.
FROM swift:6.3-bookworm
WORKDIR /storage-bench
COPY . .
# Installs the libraries by apt, builds, and puts the executable into /usr/local/bin.
RUN scripts/install
ENTRYPOINT ["storage-bench"]
