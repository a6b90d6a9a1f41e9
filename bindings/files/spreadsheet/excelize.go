package spreadsheet

import "fmt"

// excelizeFactor is how many times a worksheet's XML excelize takes in memory (1433 MB
// for one of 80 MB).
const excelizeFactor = 18

// guard turns a panic of a format library into an error.
func guard(fn func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("excelize panicked: %v", p)
		}
	}()
	return fn()
}
