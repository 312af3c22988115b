package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"understudy/test/server"
)

const (
	batchSize    = 100
	contactsPath = "/api/crm/v3/objects/contacts"
)

var (
	firstNames = []string{"Ada", "Bela", "Cora", "Dina", "Egon", "Fritz", "Greta", "Hugo", "Ida", "Jonas", "Karla", "Lars", "Mina", "Nils", "Olga", "Paul"}
	lastNames  = []string{"Ackermann", "Brandt", "Conrad", "Dietrich", "Engel", "Fuchs", "Graf", "Haas", "Ibsen", "Jansen", "Krause", "Lorenz", "Meyer", "Novak", "Otto", "Peters", "Quast", "Richter", "Schulz", "Thiel"}
	cities     = []string{"Berlin", "Hamburg", "Munich", "Cologne", "Frankfurt", "Stuttgart", "Leipzig", "Dresden", "Bremen", "Hanover",
		"Nuremberg", "Duisburg", "Bochum", "Wuppertal", "Bonn", "Mannheim", "Karlsruhe", "Augsburg", "Kiel", "Mainz"}
	kinds  = []string{"Studio", "Works", "Labs", "Group", "Partners", "Systems", "Trading", "Media"}
	stages = []string{"lead", "customer", "subscriber", "opportunity"}
)

// wordPairs is how many different first words companies have.
const wordPairs = 5_000

func email(n int) string {
	domain := "example.com"
	if n%few == 9 {
		domain = "elsewhere.test"
	}
	return fmt.Sprintf("person%d.%d@company%d.%s", n, n*31%9973, n%wordPairs, domain)
}

func companyWord(n int) string { return "company" + strconv.Itoa(n*7%wordPairs) }

// few is one of how many contacts differ from nearly all others.
const few = 10_000

// contact returns the properties of the n-th contact. Half of the contacts are
// engineers and half are in Germany, but few are both; few have no phone.
func contact(n int) string {
	phone, job, country := fmt.Sprintf("+49 30 %07d", n*7907%10_000_000), []string{"Engineer", "Designer"}[n%2], []string{"Austria", "Germany"}[n%2]
	switch n % few {
	case 3:
		phone = ""
	case 4:
		country = "Germany"
	}
	return fmt.Sprintf(`{"email":%q,"firstname":%q,"lastname":%q,"company":"%s %s","city":%q,"lifecyclestage":%q,"phone":%q,"jobtitle":%q,"country":%q,"closedate":"%s"}`,
		email(n), firstNames[n*13%len(firstNames)], lastNames[n*7%len(lastNames)], companyWord(n), kinds[n*3%len(kinds)],
		cities[n*11%len(cities)], stages[n%len(stages)], phone, job, country, time.Date(2024, 1, 1, 0, n*37%525_600, 0, 0, time.UTC).Format(time.RFC3339))
}

type client struct {
	http  *http.Client
	base  string
	token string

	mu     sync.Mutex
	lastID int64
}

func newClient(srv *server.Server) (*client, error) {
	text, err := os.ReadFile(filepath.Join(srv.Dir, "credentials.json"))
	if err != nil {
		return nil, err
	}
	var cred struct {
		CRM struct {
			BaseURL     string `json:"base_url"`
			AccessToken string `json:"access_token"`
		} `json:"crm"`
	}
	if err := json.Unmarshal(text, &cred); err != nil {
		return nil, err
	}
	return &client{http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}, Timeout: 5 * time.Minute},
		base: cred.CRM.BaseURL + contactsPath, token: cred.CRM.AccessToken}, nil
}

func (c *client) call(method, url, body string, wanted int) ([]byte, error) {
	req, err := http.NewRequest(method, url, bytes.NewReader([]byte(body)))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+c.token)
	req.Header.Set("Content-Type", "application/json")
	reply, err := c.http.Do(req)
	if err != nil {
		return nil, err
	}
	defer reply.Body.Close()
	b, err := io.ReadAll(reply.Body)
	if err == nil && reply.StatusCode != wanted {
		err = fmt.Errorf("%s %s: status %d: %.300s", method, url, reply.StatusCode, b)
	}
	return b, err
}

func (c *client) createBatch(n int) error {
	var b bytes.Buffer
	b.WriteString(`{"inputs":[`)
	for i := range batchSize {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`{"properties":` + contact(n*batchSize+i) + `}`)
	}
	b.WriteString("]}")
	reply, err := c.call("POST", c.base+"/batch/create", b.String(), 201)
	if err != nil {
		return err
	}
	// The id of the last record, without decoding what the server is not measured for.
	if i := bytes.LastIndex(reply, []byte(`{"id":"`)); i >= 0 {
		rest := reply[i+7:]
		id, _ := strconv.ParseInt(string(rest[:bytes.IndexByte(rest, '"')]), 10, 64)
		c.mu.Lock()
		c.lastID = max(c.lastID, id)
		c.mu.Unlock()
	}
	return nil
}

func (c *client) createOne(n int) error {
	_, err := c.call("POST", c.base, fmt.Sprintf(`{"properties":{"email":"single%d@example.net","firstname":"Single","lastname":"Number%d","city":"Berlin"}}`, n, n), 201)
	return err
}

func (c *client) search(body string) (int, error) {
	reply, err := c.call("POST", c.base+"/search", body, 200)
	var found struct{ Total int }
	if err == nil {
		err = json.Unmarshal(reply, &found)
	}
	return found.Total, err
}

func (c *client) list(after int64) error {
	_, err := c.call("GET", fmt.Sprintf("%s?limit=100&after=%d", c.base, after), "", 200)
	return err
}

func filter(property, operator, value string) string {
	return fmt.Sprintf(`{"filterGroups":[{"filters":[{"propertyName":%s,"operator":%q,"value":%s}]}]}`, property, operator, value)
}

// filled returns the number of contacts, and the last of them.
func (c *client) filled() (int, error) {
	reply, err := c.call("POST", c.base+"/search", `{"limit":1,"sorts":["-hs_object_id"]}`, 200)
	var found struct {
		Total   int
		Results []struct{ ID string }
	}
	if err == nil {
		err = json.Unmarshal(reply, &found)
	}
	if err == nil && len(found.Results) > 0 {
		c.lastID, err = strconv.ParseInt(found.Results[0].ID, 10, 64)
	}
	return found.Total, err
}
