import { listCredentials, readCredential, readHealth, type CredentialId } from "@strongroom/contract";
import { QueryClientProvider, useQuery } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startApi, type TestApi } from "#app/testing/api-server.ts";
import {
  FRESH_MS,
  MOST_ENTRIES,
  createQueryClient,
  invalidatePath,
  keyOf,
  queryOf,
  tellQueriesWhoIsActive,
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
  tellQueriesWhoIsActive(() => true);
  return api.close();
});

function Status() {
  const { data } = useQuery(queryOf(readHealth));
  return <p>{data?.status ?? "none"}</p>;
}

test("HTTP-07: two screens that ask the same at the same time make one request", async () => {
  render(
    <QueryClientProvider client={createQueryClient()}>
      <Status />
      <Status />
    </QueryClientProvider>,
  );
  expect(await screen.findAllByText("healthy")).toHaveLength(2);
  expect(api.requests).toHaveLength(1);
});

test("HTTP-08: an answer stays fresh for 30 seconds", async () => {
  expect(FRESH_MS).toBe(30_000);
  const client = createQueryClient();
  await client.query(queryOf(readHealth));
  await client.query(queryOf(readHealth));
  expect(api.requests).toHaveLength(1);
});

test("HTTP-09: a path prefix clears everything below it and nothing beside it", async () => {
  const client = createQueryClient();
  const list = keyOf(listCredentials, { query: { search: "x" } });
  const one = keyOf(readCredential, { params: { id } });
  const health = keyOf(readHealth);
  for (const key of [list, one, health]) client.setQueryData(key, {});
  await invalidatePath(client, "/api/v1/credentials");
  const isStale = (key: readonly unknown[]) => client.getQueryState(key)?.isInvalidated;
  expect([isStale(list), isStale(one), isStale(health)]).toEqual([true, true, false]);
});

test("HTTP-10: over 50 entries the oldest that no screen uses go", async () => {
  const client = createQueryClient();
  for (let index = 0; index < MOST_ENTRIES + 10; index += 1) {
    client.setQueryData(["entry", index], index, { updatedAt: index + 1 });
    await Promise.resolve();
  }
  const left = client.getQueryCache().getAll();
  expect(left).toHaveLength(50);
  expect(client.getQueryData(["entry", 9])).toBeUndefined();
  expect(client.getQueryData(["entry", 10])).toBe(10);
});

test("a page that nobody touches asks in the background, so that it does not keep the session alive", async () => {
  tellQueriesWhoIsActive(() => false);
  await createQueryClient().query(queryOf(readHealth));
  tellQueriesWhoIsActive(() => true);
  await createQueryClient().query(queryOf(readHealth));
  await createQueryClient().query(queryOf(readHealth, {}, { isBackground: true }));
  expect(api.requests.map(({ headers }) => headers["x-background"])).toEqual(["1", undefined, "1"]);
});
