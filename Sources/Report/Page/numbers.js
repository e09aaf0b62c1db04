// The formats of numbers, as in Text/NumberFormat.swift.
const Numbers = (() => {
  // Rounds as C's printf: halves to even.
  const fixed = (number, decimals) => {
    const doubled = number * 2 * 10 ** decimals;
    const isMiddle =
      Number.isInteger(number * 2 ** (decimals + 1)) && Number.isInteger(doubled) && Math.abs(doubled % 2) === 1;
    if (!isMiddle) return number.toFixed(decimals);
    const below = Math.floor(doubled / 2);
    return ((below % 2 === 0 ? below : below + 1) / 10 ** decimals).toFixed(decimals);
  };
  // Rounds halves away from 0.
  const rounded = (number) => Math.sign(number) * Math.floor(Math.abs(number) + 0.5);
  const grouped = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, ",");

  const digits = (value) => {
    const size = Math.abs(value);
    if (value === 0) return "0";
    if (size < 9.95) return fixed(value, size < 0.095 ? 3 : size < 0.95 ? 2 : 1);
    if (size < 999.5) return fixed(value, 0);
    let unit = 1;
    while (size / unit >= 99.5) unit *= 10;
    return size < 1e15 ? grouped(rounded(value / unit) * unit) : fixed(value, 0);
  };
  const scaled = (number, units) => {
    let value = number;
    let unit = 0;
    while (Math.abs(value) >= 999.5 && unit + 1 < units.length) {
      value /= 1000;
      unit += 1;
    }
    return `${unit === 0 && Number.isInteger(value) ? value : digits(value)} ${units[unit]}`;
  };

  const time = (nanoseconds) => scaled(nanoseconds, ["ns", "µs", "ms", "s"]);
  const bytes = (count) => scaled(count, ["B", "kB", "MB", "GB", "TB"]);
  const ratio = (factor) => `${digits(factor)}×`;
  const ratioWithInterval = (factor, { low, high }) => {
    if (factor < 2) return `${fixed(factor, 2)}× (${fixed(low, 2)}-${fixed(high, 2)})`;
    if (digits(low) === digits(high) && factor < 100) {
      const decimals = factor < 9.95 ? 2 : 1;
      return `${fixed(factor, decimals)}× (${fixed(low, decimals)}-${fixed(high, decimals)})`;
    }
    return `${digits(factor)}× (${digits(low)}-${digits(high)})`;
  };
  const perOperation = (count) => {
    if (count === 0) return "0";
    if (count < 0.01) return "<0.01";
    if (Math.abs(count - rounded(count)) < 0.005) return grouped(rounded(count));
    return count < 10 ? fixed(count, 2).replace(/\.?0+$/, "") : digits(count);
  };
  // Returns `a`, `a and b`, `a, b and c`.
  const list = (names, word = "and") =>
    names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} ${word} ${names[names.length - 1]}`;

  return { time, bytes, ratio, ratioWithInterval, perOperation, grouped, list };
})();
