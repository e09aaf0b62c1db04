// Which backend to take for an app: the rules of `storage-bench advise` (Advice/Advice.swift and Advice/Estimate.swift),
// on the curves that the run has fitted already.
const Advice = (() => {
  const levels = ["volatile", "fragile", "crash", "intact", "durable"];
  const rank = (level) => levels.indexOf(level);
  // As StorageStatistics.GrowthFit has them.
  const reach = 10;
  const widest = 4;
  const slackBeyond = 0.1;
  const slackBefore = 0.3;

  const predict = ([constant, coefficient, exponent], x) => constant + coefficient * x ** exponent;

  // A curve is a law and the points that it is bent through: places, values, and ln of the value by the law.
  const valueAt = ({ law, x: places, d: distances }, x) => {
    const last = places.length - 1;
    if (x <= places[0]) return predict(law, x) * Math.exp(distances[0]);
    if (x >= places[last]) return predict(law, x) * Math.exp(distances[last]);
    const next = places.findIndex((place) => place > x);
    const share = Math.log(x / places[next - 1]) / Math.log(places[next] / places[next - 1]);
    return predict(law, x) * Math.exp(distances[next - 1] + share * (distances[next] - distances[next - 1]));
  };

  const straightTo = (curve, x) => {
    const { x: places, y: values } = curve;
    const last = places.length - 1;
    if (last < 1) return valueAt(curve, x);
    const [end, next] = x > places[last] ? [last, last - 1] : [0, 1];
    const slope = Math.log(values[end] / values[next]) / Math.log(places[end] / places[next]);
    return values[end] * Math.exp(slope * Math.log(x / places[end]));
  };

  const mapValues = (map, change) => new Map([...map].map(([key, value]) => [key, change(value)]));

  // What a fit says of a place: its value, by each round, and how far it may be off; null where nothing can be said.
  const reading = (fit, x) => {
    const { x: places, y: values } = fit.curve;
    const last = places.length - 1;
    if (x >= places[0] && x <= places[last]) {
      const rounds = mapValues(fit.rounds, (curve) => valueAt(curve, x));
      return { value: valueAt(fit.curve, x), rounds, low: 1, high: 1 };
    }
    if (places.length < 3 || x > places[last] * reach || x < places[0] / reach) return null;
    const ends = x > places[last] ? [last, last - 1, last - 2] : [0, 1, 2];
    const step = (one, other) => Math.log(places[ends[one]] / places[ends[other]]);
    const rise = (one, other) => Math.log(values[ends[one]] / values[ends[other]]);
    const steps = { near: Math.abs(step(0, 1)), far: Math.abs(step(1, 2)) };
    const way = Math.abs(Math.log(x / places[ends[0]]));
    const slack = (x > places[last] || fit.hasConstant ? slackBeyond : slackBefore) * way;
    const slopes = { near: rise(0, 1) / steps.near, far: rise(1, 2) / steps.far };
    const missed = slopes.near - slopes.far;
    const straight = Math.log(values[ends[0]]) + slopes.near * way;
    const bend = ((missed / ((steps.near + steps.far) / 2)) * (steps.near * way + way * way)) / 2;
    const byLaw = Math.log(valueAt(fit.curve, x));
    const value = fit.hasConstant ? byLaw : straight;
    const paths = [byLaw, straight, straight + bend, straight + missed * way];
    if (!fit.hasConstant) paths.push(straight - Math.abs(missed) * way * 0.5);
    const low = Math.exp(Math.min(...paths) - value - slack);
    const high = Math.exp(Math.max(...paths) - value + slack);
    const rounds = mapValues(fit.rounds, (curve) => (fit.hasConstant ? valueAt(curve, x) : straightTo(curve, x)));
    const found = { value: Math.exp(value), rounds, low, high };
    const noise = Statistics.interval([...rounds.values()]);
    const interval = { low: (noise?.low ?? found.value) * low, high: (noise?.high ?? found.value) * high };
    return interval.high <= interval.low * widest ? found : null;
  };

  // What an operation takes at a number of records; null where that is not known.
  const estimate = (series, records) => {
    const { timed, fit } = series;
    if (timed.length === 0 || fit === null) return null;
    const sizes = timed.map((row) => row.records);
    const [smallest, largest] = [sizes[0], sizes[sizes.length - 1]];
    const same = timed.find((row) => row.records === records);
    const exactly = { low: 1, high: 1 };
    if (same !== undefined) {
      const { time, rounds, isTimedOnce } = same;
      return { time, basis: "measured", rounds, spread: exactly, isTimedOnce };
    }
    const isTimedOnce = timed.every((row) => row.isTimedOnce);
    if (sizes.length === 1) {
      if (records > largest * reach) return null;
      const basis = records < largest ? "at most" : "at least";
      return { time: timed[0].time, basis, rounds: timed[0].rounds, spread: exactly, isTimedOnce };
    }
    const found = reading(fit, records);
    if (found === null) return null;
    const basis = records > smallest && records < largest ? "between" : "extrapolated";
    const resolution = Math.max(0, ...timed.flatMap((row) => [...row.rounds.values()].map((round) => round.resolution)));
    const rounds = mapValues(found.rounds, (typical) => ({ typical, mean: typical, isBatched: false, resolution }));
    return { time: found.value, basis, rounds, spread: { low: found.low, high: found.high }, isTimedOnce };
  };

  const isExtrapolated = ({ basis }) => basis === "extrapolated" || basis === "at least" || basis === "loading";

  // Beyond the sizes of its launches a whole-file store is taken to grow as loading everything does.
  const launchEstimate = (series, loading, records) => {
    const own = estimate(series, records);
    const row = series.timed[series.timed.length - 1];
    if ((own !== null && !isExtrapolated(own)) || !series.isWholeFile || !loading || !row || row.records >= records) {
      return own;
    }
    const here = loading.fit && reading(loading.fit, records);
    const there = loading.fit && reading(loading.fit, row.records);
    if (!here || !there) return own;
    const rounds = new Map();
    for (const [round, { typical, resolution }] of row.rounds) {
      const [mine, other] = [here.rounds.get(round), there.rounds.get(round)];
      if (mine === undefined || !(other > 0)) continue;
      const scaled = (typical * mine) / other;
      rounds.set(round, { typical: scaled, mean: scaled, isBatched: false, resolution });
    }
    const spread = { low: here.low / there.high, high: here.high / there.low };
    const time = (row.time * here.value) / there.value;
    return { time, basis: "loading", from: row.records, rounds, spread, isTimedOnce: row.isTimedOnce };
  };

  // A candidate, a refusal, or null where a series does less than is needed.
  const judge = (series, app, { reads, launches, loading }) => {
    const out = (reason, unknownAt = null) => ({ refusal: { name: series.name, reason, unknownAt } });
    if (series.failed !== null) return out(series.failed);
    if (series.level === null) return series.durability === app.durability ? out(series.note) : null;
    if (app.durability !== "shipped" && rank(series.level) < rank(app.durability)) {
      return out(`promises ${series.level} only (${series.afterPowerCut.replace(/^[! ]+/, "")})`);
    }
    const save = estimate(series, app.records);
    if (save === null || save.basis === "at least") {
      if (series.timed.length === 0) return out("was not timed");
      const first = series.timed[0].records;
      const last = series.timed[series.timed.length - 1].records;
      const range =
        first === last
          ? `at ${Numbers.grouped(first)}`
          : `from ${Numbers.grouped(first)} to ${Numbers.grouped(last)}`;
      const isNear = app.records >= first / reach && app.records <= last * reach;
      const why = isNear ? "which does not show what it takes at" : "too far from";
      return out(`was measured ${range} records only, ${why} ${Numbers.grouped(app.records)}`, series.level);
    }
    const of = (all) => all.find((other) => other.backend === series.backend);
    const readSeries = of(reads);
    const read = readSeries ? estimate(readSeries, app.records) : null;
    const launchSeries = of(launches);
    const launch = launchSeries ? launchEstimate(launchSeries, of(loading), app.records) : null;
    if (app.launchBudget !== null && launch !== null && launch.time > app.launchBudget && launch.basis !== "at most") {
      return out(`needs ${Numbers.time(launch.time)} to the first screen, ${basisInWords(launch, launchSeries, app)}`);
    }
    if (app.readsPerSave !== 0 && read === null && reads.length > 0) return out("reads were not timed");
    const parts = [[save, 1], ...(read === null ? [] : [[read, app.readsPerSave]])];
    const total = parts.reduce((sum, [part, count]) => sum + part.time * count, 0);
    const share = (end) =>
      total > 0 ? parts.reduce((sum, [part, count]) => sum + part.time * count * part.spread[end], 0) / total : 1;
    const isNative = series.isNative && (readSeries?.isNative ?? true);
    return {
      candidate: {
        name: series.name, durability: series.durability, level: series.level, isNative, save, read, launch,
        time: total, inShort: shortly(total, parts.filter(([, count]) => count > 0).map(([part]) => part)),
        stake: series.stake, exceeds: false,
        rounds: together(save, app.readsPerSave > 0 ? read : null, app.readsPerSave),
        spread: { low: share("low"), high: share("high") },
        canWin: isNative && !save.isTimedOnce && !(read?.isTimedOnce ?? false),
      },
    };
  };

  // A save with its reads, round by round.
  const together = (save, read, reads) => {
    if (read === null) return save.rounds;
    const rounds = new Map();
    for (const [round, saved] of save.rounds) {
      const one = read.rounds.get(round);
      if (one === undefined) continue;
      const typical = saved.typical + reads * one.typical;
      const resolution = saved.resolution + reads * one.resolution;
      rounds.set(round, { typical, mean: typical, isBatched: false, resolution });
    }
    return rounds;
  };

  // What a time rests on, in the words of `advise`.
  const basisInWords = ({ basis, from }, { timed }, { records }) => {
    const sizes = timed.map((row) => row.records);
    const [smallest, largest] = [sizes[0], sizes[sizes.length - 1]];
    const grouped = Numbers.grouped;
    switch (basis) {
      case "measured": return "measured at this size";
      case "between": {
        const next = sizes.findIndex((size) => size > records);
        return `interpolated between ${grouped(sizes[next - 1])} and ${grouped(sizes[next])} records`;
      }
      case "extrapolated": {
        const [end, factor] = records > largest ? [largest, records / largest] : [smallest, smallest / records];
        return `EXTRAPOLATED ${Numbers.ratio(factor)} beyond the ${grouped(end)} records measured`;
      }
      case "at most": return `measured at ${grouped(largest)} records only: at most that`;
      case "at least":
        return `measured at ${grouped(largest)} records only, ${Numbers.ratio(records / largest)} fewer: how it grows is not known`;
      default: return `EXTRAPOLATED from ${grouped(from)} records as loading everything grows`;
    }
  };

  // The best, then the other native ones; what is emulated or a lookalike stands below, whatever it takes.
  const ranked = (level, candidates) => {
    const { places, best } = Statistics.standings(candidates);
    const sorted = best < 0 ? [] : [places[best], ...places.filter((_, place) => place !== best)];
    const all = sorted.map(({ member, comparison }) => ({
      ...member, comparison, exceeds: rank(member.level) > rank(level),
    }));
    const ranking = [...all.filter((one) => one.isNative), ...all.filter((one) => !one.isNative)];
    return ranking.map((one, place) => ({ ...one, place: one.isNative ? place + 1 : null }));
  };

  // Of each backend the settings that take least.
  const fastest = (candidates) => {
    const best = new Map();
    for (const candidate of candidates) {
      if (candidate.time < (best.get(candidate.name)?.time ?? Infinity)) best.set(candidate.name, candidate);
    }
    return candidates.filter((candidate) => best.get(candidate.name)?.durability === candidate.durability);
  };

  const advise = (app, run) => {
    const refusals = [];
    const candidates = (all) =>
      all.flatMap((series) => {
        const judged = judge(series, app, run);
        if (judged?.refusal) refusals.push(judged.refusal);
        return judged?.candidate ? [judged.candidate] : [];
      });
    const contests = run.contests.filter((contest) => contest.durability === app.durability);
    const members = (contest) => contest.series.map((index) => run.saves[index]);
    let rankings = [];
    if (app.durability === "shipped" || contests.length > 0) {
      rankings = contests.map((contest) => ({
        level: contest.level ?? "volatile", candidates: candidates(members(contest)),
      }));
    }
    if (app.durability !== "shipped") {
      if (contests.length === 0) {
        rankings = [{ level: app.durability, candidates: fastest(candidates(run.saves)) }];
      } else {
        const present = new Set(contests.flatMap(members).map((series) => series.backend));
        candidates(run.saves.filter((series) => !present.has(series.backend)));
      }
    }
    rankings = rankings
      .map(({ level, candidates }) => ({ level, candidates: ranked(level, candidates) }))
      .filter((ranking) => ranking.candidates.length > 0);
    const all = new Map();
    for (const { candidates } of rankings) {
      for (const candidate of candidates) if (!all.has(candidate.name)) all.set(candidate.name, candidate);
    }
    const seen = new Set();
    const left = refusals.filter(({ name }) => !all.has(name) && !seen.has(name) && seen.add(name));
    return { rankings, refusals: left, caveats: caveats(app, run, [...all.values()]) };
  };

  const caveats = (app, run, candidates) => {
    const found = [];
    if (app.recordBytes !== null && run.recordBytes !== null && app.recordBytes !== run.recordBytes) {
      found.push(
        `The run's records have ${Numbers.grouped(run.recordBytes)} bytes, not ${Numbers.grouped(app.recordBytes)}; ` +
          "all figures are those of the run's.");
    }
    if (app.readsPerSave > 0 && run.reads.length === 0) {
      found.push("Reads were not measured: the ranks are those of saving alone.");
    }
    if (app.launchBudget !== null && run.launches.length === 0) {
      found.push("Launches were not measured: the budget was not applied.");
    }
    const far = candidates.filter(({ save, read }) => isExtrapolated(save) || (read !== null && isExtrapolated(read)));
    if (far.length > 0) {
      const names = Numbers.list(far.map(({ name }) => name));
      found.push(`The run's data does not reach ${Numbers.grouped(app.records)} records for ${names}.`);
    }
    if (app.launchBudget !== null) {
      const open = candidates.filter(({ launch }) => {
        if (launch === null) return run.launches.length > 0;
        return launch.basis === "at most" ? launch.time > app.launchBudget : isExtrapolated(launch);
      });
      if (open.length > 0) {
        const names = Numbers.list(open.map(({ name }) => name));
        found.push(`Whether ${names} keep the launch budget is not known at this size.`);
      }
    }
    return run.warning === null ? found : [...found, run.warning];
  };

  // `218 us`, `218 us*` beyond what was measured, `<218 us` for at most.
  const shortly = (time, parts) =>
    (parts.some(({ basis }) => basis === "at most") ? "<" : "") + Numbers.time(time) + (parts.some(isExtrapolated) ? "*" : "");
  const time = (estimate) => (estimate === null ? "-" : shortly(estimate.time, [estimate]));

  // `first`, `1.3x (1.2-1.4)`, with `~` where about equal and `?` where inconclusive; `at most 460x` where only the
  // candidate's save is a bound, `at least 3x` where only the first one's is.
  const distance = (candidates, place) => {
    if (place === 0) return "first";
    const { comparison, isNative, save, time } = candidates[place];
    const first = candidates[0];
    const isBound = save.basis === "at most";
    if (isBound !== (first.save.basis === "at most") && first.time > 0) {
      return `${isBound ? "at most" : "at least"} ${Numbers.ratio(comparison?.ratio ?? time / first.time)}`;
    }
    if (comparison === null) return "not judged";
    const mark = { "about equal": " ~", inconclusive: " ?", faster: isNative ? " ?" : "" }[comparison.verdict] ?? "";
    return Numbers.ratioWithInterval(comparison.ratio, comparison.interval) + mark;
  };

  return { levels, rank, predict, advise, time, distance };
})();
