package messy

func windows(s string) {
	go send(s, len(s)) // line ends of Windows
}
