package blockkit

// blockTypes are the blocks that a message can have.
var blockTypes = map[string]schema{
	"actions":         {{"elements", true, list(1, 25, interactiveElement)}},
	"call":            {{"call_id", true, anyString}},
	"context":         {{"elements", true, list(1, 10, contextElement)}},
	"context_actions": {{"elements", true, list(1, 5, interactiveElement)}},
	"divider":         {},
	"file":            {{"external_id", true, anyString}, {"source", true, anyString}},
	"header":          {{"text", true, plainText(150)}},
	"image":           {{"title", false, plainText(2000)}},
	"input":           {{"label", true, plainText(2000)}, {"element", true, interactiveElement}, {"hint", false, plainText(2000)}, {"optional", false, boolean}, {"dispatch_action", false, boolean}},
	"markdown":        {{"text", true, str(1, 12000)}},
	"plan":            {{"title", true, nil}},
	"rich_text":       {{"elements", true, list(0, 1000, richPart)}},
	"section":         {{"text", false, anyText(3000)}, {"fields", false, list(1, 10, anyText(2000))}, {"accessory", false, accessory}, {"expand", false, boolean}},
	"table":           {{"rows", true, list(1, 100, list(1, 20, object))}},
	"task_card":       {{"task_id", true, anyString}, {"title", true, nil}},
	"video": {
		{"alt_text", true, str(0, 2000)}, {"title", true, plainText(200)}, {"thumbnail_url", true, anyString}, {"video_url", true, anyString},
		{"description", false, plainText(200)}, {"author_name", false, str(0, 50)}, {"title_url", false, anyString},
	},
}

var (
	checkBlock = variants(blockTypes)
	checkID    = str(0, maxIDCharacters)
)

// blocks checks an array of blocks and gives each an id.
func (v *validator) blocks(n *node) {
	list(0, MaxBlocks, (*validator).block)(v, n)
	seen := map[string]bool{}
	for _, b := range n.items {
		if b.kind != '{' {
			continue
		}
		if id := b.get("block_id").text(); id != "" {
			if seen[id] {
				v.fail("block_id " + clip(id) + " is used more than once")
			}
			seen[id] = true
		}
	}
	for _, b := range n.items {
		if b.kind != '{' || b.get("block_id").text() != "" {
			continue
		}
		id := v.newID()
		for tries := 0; seen[id] && tries < 16; tries++ {
			id = v.newID()
		}
		seen[id] = true
		b.remove("block_id")
		b.setSecond("block_id", stringNode(id))
	}
}

func (v *validator) block(n *node) {
	checkBlock(v, n)
	if n.kind != '{' {
		return
	}
	if id := n.get("block_id"); id != nil {
		v.in("block_id", func() { checkID(v, id) })
	}
	switch n.get("type").text() {
	case "section":
		if n.get("text") == nil && n.get("fields") == nil {
			v.fail("missing required field: text")
		}
	case "image":
		image(v, n)
	}
}
