package main

// Run is the command with its arguments, in a folder.
var Run = run

// Unified is the diff of two texts.
var Unified = unified
