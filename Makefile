.PHONY: run test bench screenshots lint clean-demo help
PYTHON = .venv/bin/python

help:
	@echo "make run          everything, on this machine: prints the address and the demo logins"
	@echo "make test         all tests, with all that they need"
	@echo "make bench        the benchmarks, as docs/performance.md shows them"
	@echo "make screenshots  a picture of every page in var/screenshots"
	@echo "make lint         style, types and the rooms' borders"
	@echo "make clean-demo   forgets the data of make run"

run: .venv/base.installed
	@exec $(PYTHON) -m deploy.run

test: .venv/dev.installed
	@exec $(PYTHON) -m tests.support.suite

bench: .venv/dev.installed
	@exec $(PYTHON) -m bench

screenshots: .venv/dev.installed
	@exec $(PYTHON) -m tests.browser.screenshots

lint: .venv/dev.installed
	@exec $(PYTHON) -m tests.support.suite lint

clean-demo:
	@exec deploy/clean-demo

.venv/%.installed: requirements/%.txt requirements/uv.txt
	@deploy/environment $*
