// NSCache with a limit: the objects that remain after five were added without a cost, and after three with one.
import Foundation

func remaining(_ costs: [Int], _ setLimit: (NSCache<NSNumber, NSString>) -> Void) -> [Int] {
  let cache = NSCache<NSNumber, NSString>()
  setLimit(cache)
  for (index, cost) in costs.enumerated() { cache.setObject("object", forKey: index + 1 as NSNumber, cost: cost) }
  return (1...costs.count).filter { cache.object(forKey: $0 as NSNumber) != nil }
}
let counted = remaining([0, 0, 0, 0, 0]) { $0.countLimit = 2 }
let costed = remaining([60, 40, 10]) { $0.totalCostLimit = 100 }
print("expected: objects 5 and 3, which were added last, are there")
print("observed: \(counted) of 1 to 5, \(costed) of 1 to 3")
exit(counted.contains(5) && costed.contains(3) ? 0 : 1)
