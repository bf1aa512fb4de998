"""The Gemini API's Batch Mode on loopback: upload, job, file of results, as its library does."""

from __future__ import annotations

import json
import time
from typing import Any

from aiohttp import web

from tests.batching import FakeBatches, Kept, _iso


class FakeGemini(FakeBatches):
    """The service. job: the state that jobs end in."""

    job = "BATCH_STATE_SUCCEEDED"

    def _routes(self) -> list[web.RouteDef]:
        return [
            web.post("/upload/v1beta/files", self._begin_upload),
            web.post("/upload/v1beta/here", self._end_upload),
            web.get(r"/v1beta/files/{id:[\w-]+}:download", self._download),
            web.post(r"/v1beta/models/{model:[^:/]+}:batchGenerateContent", self._create_job),
            web.post(r"/v1beta/models/{model:[^:/]+}:generateContent", self._live),
            web.get("/v1beta/batches", self._jobs),
            web.get("/v1beta/batches/{id}", self._job),
            web.delete("/v1beta/files/{id}", self._gone),
        ]

    async def _begin_upload(self, request: web.Request) -> web.Response:
        where = {"X-Goog-Upload-URL": f"{self.address}/upload/v1beta/here"}
        return web.json_response({}, headers=where)

    async def _end_upload(self, request: web.Request) -> web.Response:
        name = f"files/f_{len(self.files)}"
        self.files[name] = await request.read()
        final = {"X-Goog-Upload-Status": "final"}
        return web.json_response({"file": {"name": name}}, headers=final)

    async def _download(self, request: web.Request) -> web.Response:
        return web.Response(body=self.files[f"files/{request.match_info['id']}"])

    async def _gone(self, request: web.Request) -> web.Response:
        return web.json_response({})

    async def _live(self, request: web.Request) -> web.Response:
        return web.json_response(_result(*self._end(await request.json()))["response"])

    async def _create_job(self, request: web.Request) -> web.Response:
        asked = await request.json()
        source = self.files[asked["batch"]["inputConfig"]["fileName"]]
        lines = [json.loads(line) for line in source.split(b"\n")]
        if not self.has_room(lines):
            wrong = {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "quota"}
            return web.json_response({"error": wrong}, status=429)
        name = f"batches/b_{len(self.batches)}"
        shown = {
            "name": name,
            "metadata": {
                "displayName": asked["batch"]["displayName"],
                "state": "BATCH_STATE_PENDING",
                "createTime": _iso(time.time()),
            },
        }
        self.batches[name] = Kept({line["key"]: line["request"] for line in lines}, shown)
        return web.json_response(shown)

    async def _jobs(self, request: web.Request) -> web.Response:
        return web.json_response({"operations": [each.shown for each in self.batches.values()]})

    async def _job(self, request: web.Request) -> web.Response:
        batch = self.batches.get(name := f"batches/{request.match_info['id']}")
        if batch is None or name in self.forget:
            return web.json_response({"error": {"code": 404, "message": "none"}}, status=404)
        batch.polls += 1
        if batch.polls >= self.polls and not batch.ended:
            batch.ended = True
            self._finish(batch)
        return web.json_response(batch.shown)

    def _finish(self, batch: Kept) -> None:
        batch.shown["metadata"]["state"] = self.job
        if self.job != "BATCH_STATE_SUCCEEDED":
            self.job = "BATCH_STATE_SUCCEEDED"
            return
        lines = []
        for name, body in batch.lines.items():
            end, text = self._end(body)
            if end != "lost":
                lines.append({"key": name, **_result(end, text)})
        file = f"files/r_{len(self.files)}"
        self.files[file] = "\n".join(json.dumps(line) for line in lines).encode()
        batch.shown["metadata"]["output"] = {"responsesFile": file}


def _result(end: str, text: str) -> dict[str, Any]:
    wrong = {"flaky": (8, "slow down"), "bad": (3, "bad request"), "expired": (4, "too late")}
    if end in wrong:
        code, message = wrong[end]
        return {"error": {"code": code, "message": message}}
    finish = "MAX_TOKENS" if end == "cut" else "STOP"
    candidate = {"content": {"parts": [{"text": text}], "role": "model"}, "finishReason": finish}
    usage = {"promptTokenCount": 1000, "candidatesTokenCount": 50, "totalTokenCount": 1050}
    return {"response": {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "g-1"}}
