package main

// Run is the command with its arguments.
var Run = run
