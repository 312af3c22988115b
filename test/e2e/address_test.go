package e2e

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"understudy/test/server"
)

func TestServiceOnAnAddressOfItsOwn(t *testing.T) {
	t.Parallel()
	addr, err := server.FreeAddress()
	if err != nil {
		t.Fatal(err)
	}
	s, c := server.New(t, "--messaging-listen", addr)
	for _, base := range []string{"http://" + addr, s.URL + "/messaging"} {
		if err := call(client, base, c.Messaging.BotToken, "auth.test", nil, nil); err != nil {
			t.Errorf("%s: %v", base, err)
		}
		if status, body := get(t, client, base+"/api/health"); status != http.StatusOK || strings.TrimSpace(body) != `{"status":"ok"}` {
			t.Errorf("%s/api/health: %d %s", base, status, body)
		}
	}
	if status, _ := get(t, client, "http://"+addr+"/admin/v1/environments"); status != http.StatusNotFound {
		t.Errorf("the admin plane answers %d on a service's own address, want 404", status)
	}
}

func TestEnvironmentsInThePath(t *testing.T) {
	t.Parallel()
	s, c := server.New(t)
	if err := call(client, s.URL+"/e/default/messaging", c.Messaging.BotToken, "auth.test", nil, nil); err != nil {
		t.Errorf("the default environment by its name: %v", err)
	}
	for _, path := range []string{"/e/nothing/messaging/api/auth.test", "/e/nothing/messaging/api/health", "/e/", "/e/default", "/e/default/nothing/api/health", "/nothing"} {
		status, body := get(t, client, s.URL+path)
		var reply struct {
			Error struct{ Code, Message string }
		}
		if err := json.Unmarshal([]byte(body), &reply); status != http.StatusNotFound || err != nil || reply.Error.Code == "" || reply.Error.Message == "" {
			t.Errorf("%s: %d %s; want 404 with code and message", path, status, body)
		}
	}
}

func TestAdminPlaneNeedsItsKey(t *testing.T) {
	t.Parallel()
	s, c := server.New(t)
	for _, key := range []string{"", "nonsense", c.Messaging.UserToken, c.Messaging.BotToken} {
		req, err := http.NewRequest(http.MethodGet, s.URL+"/admin/v1/environments", nil)
		if err != nil {
			t.Fatal(err)
		}
		if key != "" {
			req.Header.Set("Authorization", "Bearer "+key)
		}
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusUnauthorized {
			t.Errorf("with key %q: %d, want 401", key, resp.StatusCode)
		}
	}
}

func TestTLS(t *testing.T) {
	t.Parallel()
	cert, key, pool := certificate(t)
	c := &http.Client{Timeout: time.Minute, Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}}
	own, err := server.FreeAddress()
	if err != nil {
		t.Fatal(err)
	}
	s, cred := server.Open(t, server.Options{
		Dir: t.TempDir(), Scheme: "https", Client: c,
		Args: []string{"--tls-cert", cert, "--tls-key", key, "--messaging-listen", own},
	})
	if !strings.HasPrefix(cred.Messaging.BaseURL, "https://") {
		t.Errorf("base URL %s, want https", cred.Messaging.BaseURL)
	}
	for _, base := range []string{cred.Messaging.BaseURL, "https://" + own} {
		if err := call(c, base, cred.Messaging.BotToken, "auth.test", nil, nil); err != nil {
			t.Errorf("%s: %v", base, err)
		}
	}
	resp, err := client.Get("http://" + s.Listen + "/healthz")
	if err == nil {
		resp.Body.Close()
		if resp.StatusCode == http.StatusOK {
			t.Error("plain HTTP is answered on a TLS port")
		}
	}
}

// certificate makes a certificate for loopback that signs itself.
func certificate(t *testing.T) (certFile, keyFile string, pool *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	certFile, keyFile = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	certPEM := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	if err := os.WriteFile(certFile, certPEM, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(keyFile, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER}), 0o600); err != nil {
		t.Fatal(err)
	}
	pool = x509.NewCertPool()
	pool.AppendCertsFromPEM(certPEM)
	return certFile, keyFile, pool
}

// A certificate that is renewed is used without a restart; a broken pair is not.
func TestCertificatesAreReadAgain(t *testing.T) {
	t.Parallel()
	cert, key, _ := certificate(t)
	s, _ := server.Open(t, server.Options{Dir: t.TempDir(), Scheme: "https", Args: []string{"--tls-cert", cert, "--tls-key", key},
		Client: &http.Client{Timeout: time.Minute, Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}})
	shown := func() string {
		conn, err := tls.Dial("tcp", s.Listen, &tls.Config{InsecureSkipVerify: true})
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		return string(conn.ConnectionState().PeerCertificates[0].Signature)
	}
	replace := func(path string, text []byte) {
		if err := os.WriteFile(path+".new", text, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(path+".new", path); err != nil {
			t.Fatal(err)
		}
	}
	changes := func(from string) bool {
		for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
			if shown() != from {
				return true
			}
		}
		return false
	}
	first := shown()
	replace(cert, []byte("no certificate"))
	if !strings.Contains(outputWith(s, "goes on with the previous one"), "goes on with the previous one") || shown() != first {
		t.Error("a broken pair was used, or nothing was said of it")
	}
	for _, hangup := range []bool{false, true} {
		before := shown()
		newCert, newKey, _ := certificate(t)
		for path, from := range map[string]string{key: newKey, cert: newCert} {
			text, err := os.ReadFile(from)
			if err != nil {
				t.Fatal(err)
			}
			replace(path, text)
		}
		if hangup {
			if err := s.Signal(syscall.SIGHUP); err != nil {
				t.Fatal(err)
			}
		}
		if !changes(before) {
			t.Errorf("the former certificate is still shown (SIGHUP: %t)", hangup)
		}
	}
}
