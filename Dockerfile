# Windlass as an image. The first stage builds the wheel, dashboard and all; the second has what runs.
# One image for everything: `docker run IMAGE up`, `serve`, `worker`, or any other command.
ARG PYTHON=3.13

FROM python:${PYTHON}-slim AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore
WORKDIR /src
# What changes seldom comes first: a change of ours then builds in seconds.
COPY requirements/build.txt requirements/image.txt requirements/
RUN --mount=type=cache,target=/root/.cache/pip \
    pip install --require-hashes --only-binary :all: -r requirements/build.txt
RUN --mount=type=cache,target=/root/.cache/pip \
    python -m venv /opt/windlass \
    && /opt/windlass/bin/pip install --require-hashes --only-binary :all: -r requirements/image.txt
COPY pyproject.toml hatch_build.py README.md LICENSE CHANGELOG.md ./
COPY dashboard dashboard
COPY src src
RUN pip wheel --no-deps --no-build-isolation --wheel-dir /wheel . \
    && /opt/windlass/bin/pip install --no-deps --no-index /wheel/*.whl \
    && /opt/windlass/bin/pip uninstall --yes pip

FROM python:${PYTHON}-slim
LABEL org.opencontainers.image.title="Windlass" \
      org.opencontainers.image.description="A distributed job scheduler that never loses a job" \
      org.opencontainers.image.licenses="MIT"
# tini reaps what handlers leave behind. Its version is the distribution's, which keeps it safe.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends tini \
    && rm -rf /var/lib/apt/lists/* \
    && groupadd --gid 10001 windlass \
    && useradd --uid 10001 --gid 10001 --home-dir /var/lib/windlass --no-create-home windlass \
    && install --directory --owner windlass --group windlass --mode 700 /var/lib/windlass
# Python's own modules come uncompiled, and nobody may write there later: every process would compile them.
RUN python -m compileall -q -x site-packages "$(python -c 'import sysconfig; print(sysconfig.get_path("stdlib"))')"
COPY --from=build /opt/windlass /opt/windlass
COPY --chmod=755 deploy/docker/healthy /usr/local/bin/healthy
# Your own jobs go to /app: `--app shop:app` is found there.
ENV PATH=/opt/windlass/bin:$PATH \
    PYTHONPATH=/app \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    WINDLASS_HOST=0.0.0.0 \
    WINDLASS_PORT=8080
# By number, so that Kubernetes can see that it is not root.
USER 10001:10001
# Without a store of your own, the jobs are in a file here; and so is the secret that signs tokens.
# Mount a volume to keep them. None is declared: every worker would leave one behind.
WORKDIR /var/lib/windlass
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 CMD ["healthy"]
ENTRYPOINT ["tini", "--", "windlass"]
CMD ["up"]
