// Package messy was never formatted, and stays so.
package messy
import ( "fmt"; "strings" )
var out=make(chan string)
func send(s   string,n int) { out<-fmt.Sprint( s,n ) }
// Run prints.
func Run(print func(...any)) {
  x:=1
  go   send(   strings.ToLower("A")  ,   x   )  // two
    go send("b" ,2)
  go func ( n   int ) { send("c", n) } ( x )
  got:=map[string]bool{<-out:true,<-out:true,<-out:true}
  print( got )
}
