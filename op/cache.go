package op

import (
	"container/list"
	"sync"
)

// Cache keeps parsed documents in a worker between runs of one workspace, keyed by
// content, so that the second call on a large file is free. It is bounded by memory and
// forgets what was used longest ago. What is in it must be safe for concurrent readers
// and must not be changed. The zero Cache and a nil *Cache keep nothing.
type Cache struct {
	max   int64
	mu    sync.Mutex
	size  int64
	byKey map[CacheKey]*list.Element
	order list.List // of *cached, most recently used first
}

// CacheKey names a parsed document: what kind of parse of which content.
type CacheKey struct {
	Kind string // the parser, with whatever options change its outcome
	Hash string // the content, as host.File.Hash
}

type cached struct {
	key   CacheKey
	value any
	size  int64
}

// NewCache makes a cache of at most max bytes.
func NewCache(max int64) *Cache {
	return &Cache{max: max, byKey: map[CacheKey]*list.Element{}}
}

// Get gives a document, or nil if it is not there.
func (c *Cache) Get(key CacheKey) any {
	if c == nil || c.max == 0 {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	el, ok := c.byKey[key]
	if !ok {
		return nil
	}
	c.order.MoveToFront(el)
	return el.Value.(*cached).value
}

// Evicted is what a document implements that holds more than memory of Go's. It is told
// when the cache forgets it; readers may still be at work on it.
type Evicted interface{ Evicted() }

// Put keeps a document of about size bytes. One larger than half of the cache is not kept,
// nor is one that has become so.
func (c *Cache) Put(key CacheKey, value any, size int64) {
	if c == nil || c.max == 0 {
		return
	}
	for _, old := range c.put(key, value, size) {
		if old, ok := old.(Evicted); ok && any(old) != value {
			old.Evicted()
		}
	}
}

// put gives the documents that had to go.
func (c *Cache) put(key CacheKey, value any, size int64) (gone []any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if el, ok := c.byKey[key]; ok {
		gone = append(gone, c.remove(el))
	}
	if size > c.max/2 {
		return gone
	}
	c.byKey[key] = c.order.PushFront(&cached{key, value, size})
	c.size += size
	for c.size > c.max {
		gone = append(gone, c.remove(c.order.Back()))
	}
	return gone
}

func (c *Cache) remove(el *list.Element) any {
	doc := el.Value.(*cached)
	c.order.Remove(el)
	delete(c.byKey, doc.key)
	c.size -= doc.size
	return doc.value
}
