// Package plot draws the two pictures of a report as SVG: curves over a quantity that grows, and ratios on one line for
// each row. Both axes of numbers are logarithmic, because what is compared differs by factors.
package plot
