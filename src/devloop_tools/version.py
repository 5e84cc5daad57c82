"""The one place that holds the version (SemVer 2.0.0)."""

VERSION = "0.1.0"
