package access

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"strings"
)

// A token is "sbx_" ID "_" SECRET: the id finds its record, the secret proves it. What is
// stored of the secret are hashes, so whoever reads the store cannot make a token of it.
// A secret has 130 random bits, hence a plain hash will do.
const prefix = "sbx_"

// NewToken makes a token: its id, and the whole text that the bearer keeps.
func NewToken() (id, token string) {
	id = strings.ToLower(rand.Text()[:12])
	return id, prefix + id + "_" + rand.Text()
}

// TokenID gives the id within a token's text; false if it is no such text.
func TokenID(token string) (string, bool) {
	rest, ok := strings.CutPrefix(token, prefix)
	id, secret, cut := strings.Cut(rest, "_")
	return id, ok && cut && id != "" && secret != ""
}

// Hash is what is stored of a secret.
func Hash(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// Matches tells whether a secret has this hash, in a time that says nothing of either.
func Matches(secret, hash string) bool {
	return subtle.ConstantTimeCompare([]byte(Hash(secret)), []byte(hash)) == 1
}

// Session is what a browser's cookie holds instead of the token: browsers send cookies to
// whatever listens on another port of the same host, and the token must not go there.
func Session(token string) string {
	mac := hmac.New(sha256.New, []byte(token))
	mac.Write([]byte("sandboxd browser session"))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}
