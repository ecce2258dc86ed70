import { listCredentials, readCredential, readHealth, type CredentialId } from "@strongroom/contract";
import { QueryClientProvider, useQuery } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startApi, type TestApi } from "#app/testing/api-server.ts";
import {
  STALE_AFTER_MS,
  MAX_CACHED_QUERIES,
  createQueryClient,
  invalidatePath,
  keyOf,
  queryOf,
  setActiveUser,
} from "./query.ts";

const HEALTH = { status: "healthy", summary: "ok", version: "1", uptime: 1, checks: [] };
const id = "33333333-3333-4333-8333-333333333333" as CredentialId;

let api: TestApi;
beforeEach(async () => {
  api = await startApi({
    "GET /api/v1/health": { json: HEALTH },
    "GET /api/v1/credentials": { json: { data: [], next_cursor: null } },
  });
});
afterEach(() => {
  setActiveUser(() => true);
  return api.close();
});

function Status() {
  const { data } = useQuery(queryOf(readHealth));
  return <p>{data?.status ?? "none"}</p>;
}

test("HTTP-07: two screens with the same query send one request", async () => {
  render(
    <QueryClientProvider client={createQueryClient()}>
      <Status />
      <Status />
    </QueryClientProvider>,
  );
  expect(await screen.findAllByText("healthy")).toHaveLength(2);
  expect(api.requests).toHaveLength(1);
});

test("HTTP-08: a reply stays fresh for 30 seconds", async () => {
  expect(STALE_AFTER_MS).toBe(30_000);
  const client = createQueryClient();
  await client.query(queryOf(readHealth));
  await client.query(queryOf(readHealth));
  expect(api.requests).toHaveLength(1);
});

test("HTTP-09, OPEN-66: invalidating a path prefix clears everything below it and nothing beside it", async () => {
  const client = createQueryClient();
  const list = keyOf(listCredentials, { query: { search: "x" } });
  const one = keyOf(readCredential, { params: { id } });
  const health = keyOf(readHealth);
  for (const key of [list, one, health]) client.setQueryData(key, {});
  await invalidatePath(client, "/api/v1/credentials");
  const isStale = (key: readonly unknown[]) => client.getQueryState(key)?.isInvalidated;
  expect([isStale(list), isStale(one), isStale(health)]).toEqual([true, true, false]);
});

test("HTTP-10: above 50 entries, the oldest unused ones are removed", async () => {
  const client = createQueryClient();
  for (let index = 0; index < MAX_CACHED_QUERIES + 10; index += 1) {
    client.setQueryData(["entry", index], index, { updatedAt: index + 1 });
    await Promise.resolve();
  }
  const left = client.getQueryCache().getAll();
  expect(left).toHaveLength(50);
  expect(client.getQueryData(["entry", 9])).toBeUndefined();
  expect(client.getQueryData(["entry", 10])).toBe(10);
});

test("an idle page sends background queries, so that they do not keep the session alive", async () => {
  setActiveUser(() => false);
  await createQueryClient().query(queryOf(readHealth));
  setActiveUser(() => true);
  await createQueryClient().query(queryOf(readHealth));
  await createQueryClient().query(queryOf(readHealth, {}, { isBackground: true }));
  expect(api.requests.map(({ headers }) => headers["x-background"])).toEqual(["1", undefined, "1"]);
});
