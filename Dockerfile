# The image of sei-operator: the program, the libraries that it is linked with, and nothing else: no
# shell, no package manager. tools/image plays these stages without a Docker engine.
FROM debian:13-slim AS build
COPY . /src
WORKDIR /src
RUN tools/bootstrap build && make build
RUN tools/image collect build/bin/sei-operator /image

FROM scratch
COPY --from=build /image /
USER 65532:65532
ENTRYPOINT ["/usr/bin/sei-operator"]
