package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"

	"github.com/sandboxd/sandboxd/scripts/examples"
)

// demo does over HTTP what a client would do: it uploads a file, submits a script that
// works on it, and prints the script, its answer and what is in the workspace now.
func demo(a *app, address, token string) error {
	const example = "clean-csv"
	script, err := examples.FS.ReadFile(example + "/script.js")
	if err != nil {
		return err
	}
	data, err := examples.FS.ReadFile(example + "/air-quality.csv")
	if err != nil {
		return err
	}
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	part, err := w.CreateFormFile("file", "air-quality.csv")
	if err != nil {
		return err
	}
	part.Write(data)
	w.Close()

	// Without the environment's proxy: the token is for this server alone. Its certificate
	// is for the name that others know it by.
	direct := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	defer direct.CloseIdleConnections()
	client := demoClient{a.ctx, &http.Client{Transport: direct}, address, token}
	if _, err := client.post("/api/files/upload?replace=true", w.FormDataContentType(), &form); err != nil {
		return fmt.Errorf("uploading the example's file: %w", err)
	}
	// The demo may be run again and again in one data folder.
	if _, err := client.run("tidy.js", "for (const f of await files.list('air-quality{-clean.csv,.md}')) await files.delete(f.id)"); err != nil {
		return err
	}
	fmt.Fprintf(a.out, "Running the example %s on air-quality.csv. What it answers, with the receipt of what it did:\n\n", example)
	answer, err := client.run(example+".js", string(script))
	if err != nil {
		return err
	}
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, answer, "", "  "); err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.out, "%s\n\n", pretty.String())
	return err
}

type demoClient struct {
	ctx            context.Context
	http           *http.Client
	address, token string
}

func (c demoClient) run(name, script string) ([]byte, error) {
	body, err := json.Marshal(map[string]string{"script": script, "name": name})
	if err != nil {
		return nil, err
	}
	return c.post("/api/runs", "application/json", bytes.NewReader(body))
}

func (c demoClient) post(path, contentType string, body io.Reader) ([]byte, error) {
	req, err := http.NewRequestWithContext(c.ctx, http.MethodPost, c.address+path, body)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+c.token)
	req.Header.Set("Content-Type", contentType)
	res, err := c.http.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode >= 300 {
		err = fmt.Errorf("%s answered %s: %s", path, res.Status, answer)
	}
	return answer, err
}
