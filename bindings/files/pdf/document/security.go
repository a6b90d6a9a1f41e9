package document

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/md5"
	"crypto/rand"
	"crypto/rc4"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/binary"
	"maps"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// lock is how a document is encrypted: the standard security handler of ISO 32000-2, 7.6.
type lock struct {
	dict      types.Dict // the encryption dictionary
	key       []byte
	revision  int
	aesText   bool // strings by AES, not RC4
	aesStream bool
	plainMeta bool // the document's metadata stream is not encrypted
}

// lockOf is how pdfcpu opened a document; it is written with the same key, so that its
// passwords stay.
func lockOf(pdf *model.Context, dict types.Dict) *lock {
	return &lock{dict: dict, key: pdf.EncKey, revision: pdf.E.R,
		aesText: pdf.AES4Strings, aesStream: pdf.AES4Streams, plainMeta: !pdf.E.Emd}
}

// Permission is what a document opened with its user password allows: bits of ISO
// 32000-2, table 22.
type Permission int32

// The permissions.
const (
	Print    Permission = 1<<2 | 1<<11
	Modify   Permission = 1<<3 | 1<<10
	Copy     Permission = 1 << 4
	Annotate Permission = 1 << 5
	Fill     Permission = 1 << 8
	always   Permission = -1 << 12 &^ 0 // reserved bits that must be 1, with accessibility
	access   Permission = 1 << 9
)

// Encrypt has the document written with AES of 256 bits, openable by either password.
// user may be empty: anybody can open it then, with what allow says.
func (d *Document) Encrypt(user, owner string, allow Permission) {
	d.decryptFilters()
	key, salts := make([]byte, 32), make([]byte, 32)
	rand.Read(key) // never fails
	rand.Read(salts)
	userPW, ownerPW := clipped(user), clipped(owner)
	p := allow | always | access | 1<<6 | 1<<7

	u := append(hash6(userPW, salts[:8], nil), salts[:16]...)
	ue := wrapKey(hash6(userPW, salts[8:16], nil), key)
	o := append(hash6(ownerPW, salts[16:24], u), salts[16:]...)
	oe := wrapKey(hash6(ownerPW, salts[24:], u), key)

	perms := make([]byte, 16)
	binary.LittleEndian.PutUint32(perms, uint32(p))
	copy(perms[4:], "\xff\xff\xff\xffTadb")
	rand.Read(perms[12:])
	block, _ := aes.NewCipher(key) // of a right length
	block.Encrypt(perms, perms)

	d.lock = &lock{key: key, revision: 6, aesText: true, aesStream: true, dict: types.Dict{
		"Filter": types.Name("Standard"), "V": types.Integer(5), "R": types.Integer(6), "Length": types.Integer(256),
		"P": types.Integer(p), "EncryptMetadata": types.Boolean(true),
		"U": types.NewHexLiteral(u), "UE": types.NewHexLiteral(ue), "O": types.NewHexLiteral(o), "OE": types.NewHexLiteral(oe),
		"Perms": types.NewHexLiteral(perms), "StmF": types.Name("StdCF"), "StrF": types.Name("StdCF"),
		"CF": types.Dict{"StdCF": types.Dict{
			"AuthEvent": types.Name("DocOpen"), "CFM": types.Name("AESV3"), "Length": types.Integer(32),
		}},
	}}
	d.version = "2.0"
}

// Decrypt has the document written without encryption.
func (d *Document) Decrypt() {
	d.decryptFilters()
	d.lock = nil
}

// decryptFilters takes away the mark of streams that an encrypted document left plain.
func (d *Document) decryptFilters() {
	if d.lock == nil {
		return
	}
	for _, o := range d.objects {
		if s, ok := o.(types.StreamDict); ok && plainStream(s.Dict) {
			delete(s.Dict, "Filter")
			delete(s.Dict, "DecodeParms")
		}
	}
}

// plainStream tells a stream that has the Crypt filter alone, which pdfcpu reads as it is.
func plainStream(dict types.Dict) bool {
	if name, ok := dict["Filter"].(types.Name); ok {
		return name == "Crypt"
	}
	filters, _ := dict["Filter"].(types.Array)
	return len(filters) == 1 && filters[0] == types.Name("Crypt")
}

func clipped(password string) []byte {
	b := []byte(password)
	return b[:min(len(b), 127)]
}

// hash6 is algorithm 2.B of ISO 32000-2.
func hash6(password, salt, u []byte) []byte {
	first := sha256.New()
	first.Write(password)
	first.Write(salt)
	first.Write(u)
	k := first.Sum(nil)
	for round := 0; ; round++ {
		part := append(append(append([]byte{}, password...), k...), u...)
		text := make([]byte, 0, 64*len(part))
		for range 64 {
			text = append(text, part...)
		}
		block, _ := aes.NewCipher(k[:16])
		cipher.NewCBCEncrypter(block, k[16:32]).CryptBlocks(text, text)
		sum := 0
		for _, c := range text[:16] {
			sum += int(c)
		}
		switch sum % 3 {
		case 0:
			h := sha256.Sum256(text)
			k = h[:]
		case 1:
			h := sha512.Sum384(text)
			k = h[:]
		default:
			h := sha512.Sum512(text)
			k = h[:]
		}
		if round >= 63 && int(text[len(text)-1]) <= round+1-32 {
			return k[:32:32]
		}
	}
}

func wrapKey(with, key []byte) []byte {
	block, _ := aes.NewCipher(with)
	out := make([]byte, len(key))
	cipher.NewCBCEncrypter(block, make([]byte, aes.BlockSize)).CryptBlocks(out, key)
	return out
}

// string encrypts a string of an object.
func (l *lock) string(number int, b []byte) []byte { return l.encrypt(number, b, l.aesText) }

// stream encrypts a stream.
func (l *lock) stream(number int, dict types.Dict, raw []byte) ([]byte, error) {
	if plainStream(dict) || l.plainMeta && dict["Type"] == types.Name("Metadata") {
		return raw, nil
	}
	return l.encrypt(number, raw, l.aesStream), nil
}

func (l *lock) encrypt(number int, b []byte, byAES bool) []byte {
	key := l.key
	if l.revision < 5 {
		h := md5.New()
		h.Write(l.key)
		h.Write([]byte{byte(number), byte(number >> 8), byte(number >> 16), 0, 0})
		if byAES {
			h.Write([]byte("sAlT"))
		}
		key = h.Sum(nil)[:min(len(l.key)+5, 16)]
	}
	if !byAES {
		out := make([]byte, len(b))
		c, err := rc4.NewCipher(key)
		if err != nil {
			panic(err) // the key opened the document
		}
		c.XORKeyStream(out, b)
		return out
	}
	pad := aes.BlockSize - len(b)%aes.BlockSize
	out := make([]byte, aes.BlockSize+len(b)+pad)
	rand.Read(out[:aes.BlockSize])
	body := out[aes.BlockSize:]
	copy(body, b)
	for i := len(b); i < len(body); i++ {
		body[i] = byte(pad)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		panic(err)
	}
	cipher.NewCBCEncrypter(block, out[:aes.BlockSize]).CryptBlocks(body, body)
	return out
}

// clone is for another document that is to be encrypted alike.
func (l *lock) clone() *lock {
	if l == nil {
		return nil
	}
	c := *l
	c.dict = maps.Clone(l.dict)
	return &c
}
