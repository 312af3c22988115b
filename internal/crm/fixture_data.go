package crm

// The words of the fixture. All addresses end in .example, which belongs to nobody.
var (
	demoOwners = [][3]string{{"mara.lindt@understudy.example", "Mara", "Lindt"}, {"jon.abel@understudy.example", "Jon", "Abel"},
		{"ines.roth@understudy.example", "Ines", "Roth"}}

	demoCompanies = []string{"Rivermill Studio", "Northlight Bakery", "Pinewood Logistics", "Harbour & Finch", "Copperfield Optics", "Blue Kettle Tea",
		"Stonebridge Analytics", "Meadow Works", "Quartz Robotics", "Silverleaf Clinics", "Tidewater Energy", "Oakline Furniture", "Lantern Books",
		"Fairmont Textiles", "Aster Mobility", "Brightwell Water", "Cedar Lane Schools", "Driftwood Travel", "Elmhurst Insurance", "Foxglove Gardens",
		"Granite Peak Sports", "Hollow Tree Games", "Ironwood Machines", "Juniper Foods", "Kingfisher Media", "Larkspur Legal", "Mosaic Printing",
		"Nightingale Audio", "Old Town Brewery", "Paper Crane Design", "Quill Software", "Redbrick Estates", "Saltmarsh Fisheries", "Thistle Pharma",
		"Umbra Lighting", "Vantage Surveyors", "Willow Care", "Yellow Door Hotels", "Zephyr Aviation", "Amber Solar"}
	demoFirstNames = []string{"Anna", "Ben", "Clara", "David", "Emma", "Felix", "Greta", "Henrik", "Ida", "Jakob", "Klara", "Leo", "Mila", "Noah", "Olivia",
		"Paul", "Quentin", "Rosa", "Simon", "Tessa", "Ulrich", "Vera", "Walter", "Xenia", "Yara"}
	demoLastNames = []string{"Albers", "Brandt", "Castillo", "Dorn", "Eklund", "Fischer", "Gruber", "Hansen", "Ivanova", "Jensen", "Keller", "Lang", "Moretti",
		"Novak", "Okafor", "Petersen", "Quist", "Richter", "Sauer", "Tanaka", "Urban", "Vogel", "Weiss", "Young", "Zimmer", "Arslan", "Becker", "Conti", "Duval"}
	demoCities       = []string{"Berlin", "Hamburg", "Munich", "Cologne", "Leipzig", "Bremen", "Dresden"}
	demoTitles       = []string{"Head of Operations", "Buyer", "Managing Director", "Engineer", "Office Manager", "Head of Sales", "Product Lead"}
	demoIndustries   = []string{"COMPUTER_SOFTWARE", "RETAIL", "CONSTRUCTION", "FURNITURE"}
	demoStages       = []string{"lead", "marketingqualifiedlead", "salesqualifiedlead", "opportunity", "customer"}
	demoLeadStatuses = []string{"NEW", "OPEN", "IN_PROGRESS"}
	demoDealStages   = []string{"appointmentscheduled", "qualifiedtobuy", "presentationscheduled", "decisionmakerboughtin", "contractsent", "closedwon", "closedlost"}
	demoProducts     = []string{"annual licence", "pilot", "renewal", "extension", "training", "support plan"}
	demoSubjects     = []string{"Cannot sign in", "Invoice shows the wrong address", "Export stops half way", "Question about the contract",
		"Please add an export to PDF", "App is slow in the morning", "Password reset mail does not arrive", "Refund for a double payment", "Colleague needs access"}
)
