"""``python -m tesuji``: the program, as the command ``tesuji``."""

from tesuji import main

main()
