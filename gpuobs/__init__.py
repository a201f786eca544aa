"""gpuobs compiles declarative GPU observability specs into the files that Prometheus and its neighbours run."""

__version__ = "0.1.0"
