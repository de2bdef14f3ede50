"""`python -m companion` is `serendipity`."""

import sys

from companion.cli import main

sys.exit(main())
