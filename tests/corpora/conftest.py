"""Tests inside the units are part of the data: nobody runs them."""

collect_ignore = ["units"]
