import Foundation
import StorageContract

/// A generator of records for countries, with real names and capitals. Repeated names get a number, as in `Austria 2`.
enum Country {
  static let collection = "countries"

  private static let names: [(name: String, capital: String)] = [
    ("Argentina", "Buenos Aires"), ("Australia", "Canberra"), ("Austria", "Wien"), ("België", "Brussel"),
    ("Brasil", "Brasília"), ("България", "София"), ("Canada", "Ottawa"), ("Chile", "Santiago"), ("中国", "北京"),
    ("Colombia", "Bogotá"), ("Cuba", "La Habana"), ("Danmark", "København"), ("Deutschland", "Berlin"),
    ("مصر", "القاهرة"), ("España", "Madrid"), ("Eesti", "Tallinn"), ("France", "Paris"), ("Ελλάδα", "Αθήνα"),
    ("Hrvatska", "Zagreb"), ("भारत", "नई दिल्ली"), ("Indonesia", "Jakarta"), ("Ireland", "Dublin"),
    ("Ísland", "Reykjavík"), ("Italia", "Roma"), ("日本", "東京"), ("Kenya", "Nairobi"), ("Latvija", "Rīga"),
    ("Lietuva", "Vilnius"), ("Magyarország", "Budapest"), ("México", "Ciudad de México"), ("Nederland", "Amsterdam"),
    ("New Zealand", "Wellington"), ("Norge", "Oslo"), ("Perú", "Lima"), ("Polska", "Warszawa"),
    ("Portugal", "Lisboa"), ("România", "București"), ("Slovenija", "Ljubljana"), ("Slovensko", "Bratislava"),
    ("Suomi", "Helsinki"), ("Sverige", "Stockholm"), ("ประเทศไทย", "กรุงเทพ"), ("Türkiye", "Ankara"),
    ("Україна", "Київ"), ("Uruguay", "Montevideo"), ("Việt Nam", "Hà Nội"), ("대한민국", "서울"), ("Česko", "Praha"),
  ]

  /// Returns the country with a given key, from 1, as a record: capital as group, population as score, area as payload.
  static func record(_ key: Int64, population: Double, area: Double) -> Record {
    let (lap, index) = (Int(key) - 1).quotientAndRemainder(dividingBy: names.count)
    return Record(
      id: key, name: lap == 0 ? names[index].name : "\(names[index].name) \(lap + 1)", group: names[index].capital,
      score: population, modified: 0,
      payload: withUnsafeBytes(of: area.bitPattern.littleEndian) { Array($0) })
  }
}
