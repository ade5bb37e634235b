# Slipstick in a container:
#   docker build -t slipstick .
#   docker run --rm -v "$PWD":/work slipstick run belt.yaml --report
FROM debian:12 AS build
# npm brings uPlot for `slipstick report` (scripts/setup).
RUN apt-get update && apt-get install -y --no-install-recommends npm ca-certificates git && rm -rf /var/lib/apt/lists/*
COPY . /source
WORKDIR /source
RUN scripts/package

FROM debian:12-slim
COPY --from=build /source/build/packages /packages
RUN apt-get update && apt-get install -y --no-install-recommends /packages/*.deb gnuplot-nox fonts-dejavu-core && \
    rm -rf /packages /var/lib/apt/lists/*
WORKDIR /work
ENTRYPOINT ["slipstick"]
