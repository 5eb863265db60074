# A thin door to Meson and Ninja. `make` alone says what there is.
#
# Each variant is its own folder below build/: release (the product: gcc, all
# hardening), asan (address, undefined, leaks), tsan (threads), fuzz and lint
# (clang). tools/check runs the stages of check, test, campaign, e2e, bench, soak and lint.

MAKEFLAGS += --no-print-directory
PREFIX ?= /usr/local

.DEFAULT_GOAL := help
.PHONY: help build run demo check test campaign e2e bench soak lint format install deb dist clean

help:
	@echo 'sei-operator: a Kubernetes operator for Sei nodes. Targets:'
	@echo
	@echo '  make build    the programs, in build/bin'
	@echo '  make run      a Kubernetes in one process, the operator and a fleet, shown live'
	@echo '  make demo     a tour of what the operator does, which checks itself'
	@echo '  make check    all unit tests of the release build, in a minute: after every change'
	@echo '  make test     all tests but the long ones, also with sanitizers; seconds of fuzzing'
	@echo '  make campaign the long tests: every call fails once, random faults, minutes of fuzzing'
	@echo '  make e2e      the same library on a real etcd and Kubernetes API server'
	@echo '  make bench    the figures of docs/BENCHMARKS.md, measured here'
	@echo '  make soak     random faults in virtual time, an hour of new seeds until one fails'
	@echo '                (SEED=n: from there; ROUNDS=n: so many; HOURS=h: so long)'
	@echo '  make lint     clang warnings, format, clang-tidy, the manners of the house'
	@echo '  make format   rewrite the sources in the one format'
	@echo '  make install  programs into $$(DESTDIR)$$(PREFIX), /usr/local by default'
	@echo '  make deb      Debian packages of the operator and the plugin, in build/packages'
	@echo '  make dist     these, an archive for Krew, bills of materials'
	@echo '  make clean    remove what was built'
	@echo
	@echo 'What is missing on Debian 12 or 13 is installed on the way (tools/bootstrap).'

build:
	@tools/bootstrap build
	@tools/check build

run: build
	@tools/run

demo: build
	@tools/demo

check test campaign:
	@tools/bootstrap test
	@tools/check $@

e2e:
	@tools/bootstrap e2e
	@tools/check e2e

bench:
	@tools/bootstrap bench
	@tools/check bench

soak:
	@tools/bootstrap build
	@tools/check soak

lint:
	@tools/bootstrap lint
	@tools/check lint

format:
	@tools/bootstrap lint
	@tools/check format

install:
	@tools/bootstrap build
	@tools/check install $(abspath $(PREFIX))

deb dist:
	@tools/bootstrap package
	@tools/package $@

clean:
	@tools/check clean
