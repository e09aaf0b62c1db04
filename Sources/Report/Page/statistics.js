// How two rows are compared, by the rules of the report itself: StorageStatistics and Model/Standings.swift in Swift.
// What a reader chooses in the page is judged as what stands in it; Tests/PageTests holds the two against each other.
const Statistics = (() => {
  const fewestRounds = 6;
  const margin = 0.05;
  const ascending = (values) => [...values].sort((one, other) => one - other);

  const median = (values) => {
    const sorted = ascending(values);
    const place = 0.5 * (sorted.length - 1);
    const index = Math.floor(place);
    if (index + 1 >= sorted.length) return sorted[sorted.length - 1];
    return sorted[index] + (place - index) * (sorted[index + 1] - sorted[index]);
  };

  // The binomial interval of the median: its ends are two of the values. Nothing below six of them.
  const interval = (values) => {
    const count = values.length;
    if (count < fewestRounds) return null;
    let rank = 0;
    let term = -count * Math.log(2);
    let sum = Math.exp(term);
    while (sum <= 0.021) {
      rank += 1;
      term += Math.log((count - rank + 1) / rank);
      sum += Math.exp(term);
    }
    const sorted = ascending(values);
    return rank > 0 ? { low: sorted[rank - 1], high: sorted[count - rank] } : null;
  };

  // The median of head by base, pair by pair; of two in the middle the geometric mean.
  const pairedRatio = (pairs) => {
    const ratios = ascending(pairs.filter(([base, head]) => base > 0 && head > 0).map(([base, head]) => head / base));
    if (ratios.length === 0) return null;
    const below = ratios[Math.floor((ratios.length - 1) / 2)];
    const above = ratios[Math.floor(ratios.length / 2)];
    const ratio = below === above ? below : Math.exp((Math.log(below) + Math.log(above)) / 2);
    return { ratio, interval: interval(ratios) };
  };

  const verdict = ({ ratio, interval }, rivals, isMeasurable) => {
    const distance = (rivals > 2 ? 0.75 : 0.5) * Math.log(interval.high / interval.low);
    if (isMeasurable && Math.log(interval.low) > distance && ratio > 1 + margin) return "slower";
    if (isMeasurable && -Math.log(interval.high) > distance && ratio < 1 / (1 + margin)) return "faster";
    return interval.low >= 1 / (1 + margin) && interval.high <= 1 + margin ? "about equal" : "inconclusive";
  };

  // A contestant has a time, its rounds (a map from the round to its timing), a spread, and may win or not. The result
  // is null where the two have fewer than six rounds in common.
  const compare = (base, head, rivals = 2) => {
    const pairs = ascending(base.rounds.keys())
      .filter((round) => head.rounds.has(round))
      .map((round) => [base.rounds.get(round), head.rounds.get(round)]);
    const isMixed = pairs.some(([one, other]) => one.isBatched !== other.isBatched);
    const times = pairs.map(([one, other]) => (isMixed ? [one.mean, other.mean] : [one.typical, other.typical]));
    const ratio = pairedRatio(times);
    if (ratio === null || ratio.interval === null) return null;
    ratio.interval = {
      low: (ratio.interval.low * head.spread.low) / base.spread.high,
      high: (ratio.interval.high * head.spread.high) / base.spread.low,
    };
    const difference = median(times.map(([one, other]) => Math.abs(other - one)));
    const resolution = Math.max(...pairs.map(([one, other]) => Math.max(one.resolution, other.resolution)));
    return { ...ratio, verdict: verdict(ratio, rivals, difference > resolution) };
  };

  // By which factor the head is slower; null where one was not timed.
  const factor = (base, head) => {
    const comparison = compare(base, head);
    if (comparison !== null) return comparison.ratio;
    return head.time === null || !(base.time > 0) ? null : head.time / base.time;
  };

  // The members in the order of their factors to one of them, which comes before others with the same.
  const order = (members, first) => {
    const others = members
      .filter((member) => member !== first)
      .map((member) => ({ member, factor: factor(first, member) ?? Infinity }))
      .sort((one, other) => one.factor - other.factor);
    const slower = others.findIndex((other) => other.factor >= 1);
    const ahead = slower < 0 ? others.length : slower;
    return [...others.slice(0, ahead), { member: first, factor: 1 }, ...others.slice(ahead)];
  };

  // Contestants fastest first, each with its factor to the best and what is said of it; `best` is a place or -1.
  const standings = (members) => {
    const timed = members.filter((member) => member.time !== null);
    const winners = timed.filter((member) => member.canWin);
    const candidates = winners.length === 0 ? timed : winners;
    if (candidates.length === 0) return { places: [], best: -1 };
    const shortest = candidates.reduce((least, member) => (member.time < least.time ? member : least));
    const base = order(candidates, shortest)[0].member;
    const places = order(timed, base).map(({ member, factor }) => ({
      member,
      factor,
      comparison:
        member === base ? null : compare(base, member, member.canWin ? Math.max(2, winners.length) : 2),
    }));
    const best = places.findIndex((place) => place.member === base);
    return { places, best, leaders: winners.length === 0 ? [] : leaders(places, best) };
  };

  // The best and those that were not shown to be slower; none where that is no contest, or rounds are too few.
  const leaders = (places, best) => {
    const rivals = places.filter((place, index) => index !== best && place.member.canWin);
    if (rivals.length === 0) return [];
    const slower = rivals.findIndex(({ comparison }) => comparison === null || comparison.verdict === "slower");
    if (slower >= 0 && rivals[slower].comparison === null) return [];
    return [places[best], ...rivals.slice(0, slower < 0 ? rivals.length : slower)].map((place) => place.member);
  };

  return { fewestRounds, median, interval, compare, factor, standings };
})();
