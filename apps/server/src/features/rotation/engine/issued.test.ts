// Rotates keys and secrets that clouds generate through the whole engine, against fakes of AWS, Azure and Google Cloud.
import { readRotation, revealCredential, rotateCredential } from "@strongroom/contract";
import type { Credential, Rotation } from "@strongroom/contract";
import {
  needs,
  opensslAvailable,
  startFakeAws,
  startFakeAzure,
  startFakeGoogleCloud,
} from "@strongroom/connectors/testing";
import type { FakeAws } from "@strongroom/connectors/testing";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { aCredential } from "#testing/credentials.ts";
import { aPerson } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { eventually } from "#testing/waiting.ts";

describe("a key that the target generates", needs(opensslAvailable()), () => {
  let app: TestApp;
  let aws: FakeAws;
  let owner: TestPerson;
  before(async () => {
    [app, aws] = await Promise.all([testApp(), startFakeAws()]);
    owner = await aPerson(app);
  });
  after(() => Promise.all([app?.close(), aws?.stop()]));

  async function aKey(username: string) {
    const { secret, keyId } = aws.addUser(username);
    const secretOfUser = { username, value: secret, additional_params: aws.params };
    return { ...(await aCredential(app, owner, secretOfUser)), keyId };
  }

  async function rotated({ id }: Pick<Credential, "id">, until: Rotation["state"]): Promise<Rotation> {
    const asked = await app.call(rotateCredential, { params: { id }, as: owner.token });
    assert.equal(asked.status, 202, asked.text);
    const params = { id: asked.body.rotation_id };
    return eventually(async () => {
      const { body } = await app.call(readRotation, { params, as: owner.token });
      return body.state === until ? body : null;
    });
  }

  const valueOf = async ({ id }: Pick<Credential, "id">): Promise<string> =>
    (await app.call(revealCredential, { params: { id }, body: {}, as: owner.token })).body.value;
  const keyInForce = async (credential: Pick<Credential, "id">): Promise<string> =>
    (JSON.parse(await valueOf(credential)) as { access_key_id: string }).access_key_id;

  test("is stored and verified by a login before the old key is deleted on the target", async () => {
    const credential = await aKey("deployer");
    await rotated(credential, "rotated");
    const inForce = await keyInForce(credential);
    assert.notEqual(inForce, credential.keyId);
    assert.deepEqual(aws.keysOf("deployer"), [{ id: inForce, isActive: true }]);
  });

  test("leaves the old key active when the target's reply is lost, and the message names the key to delete", async () => {
    const credential = await aKey("lossy");
    aws.answerOnce("CreateAccessKey", null);
    const rotation = await rotated(credential, "attention");
    const lost = aws.keysOf("lossy").find(({ id }) => id !== credential.keyId);
    assert.equal(rotation.code, "refused", JSON.stringify(rotation));
    assert.ok(lost !== undefined && rotation.message.includes(lost.id), rotation.message);
    assert.equal(await keyInForce(credential), credential.keyId);
  });

  test("a client secret of Azure is replaced, and the old one removed", async () => {
    const azure = await startFakeAzure();
    try {
      const application = azure.addApplication("deployer");
      const old = application.secrets[0]!.text;
      const additional_params = { protocol: "azure", tenant: azure.tenant, endpoint: azure.origin, ca: azure.ca };
      const login = { username: application.clientId, value: old, additional_params };
      const credential = await aCredential(app, owner, login);
      await rotated(credential, "rotated");
      const inForce = await valueOf(credential);
      assert.notEqual(inForce, old);
      assert.deepEqual(
        application.secrets.map(({ text }) => text),
        [inForce],
      );
    } finally {
      await azure.stop();
    }
  });

  test("a key of Google Cloud is replaced by one that Google generates", async () => {
    const google = await startFakeGoogleCloud();
    try {
      const { email, secret, keyId } = google.addServiceAccount("deployer");
      const additional_params = { protocol: "google-cloud", endpoint: google.origin, ca: google.ca };
      const credential = await aCredential(app, owner, { username: email, value: secret, additional_params });
      await rotated(credential, "rotated");
      const inForce = (JSON.parse(await valueOf(credential)) as { private_key_id: string }).private_key_id;
      assert.notEqual(inForce, keyId);
      assert.deepEqual(google.keysOf(email), [{ id: inForce, isActive: true }]);
    } finally {
      await google.stop();
    }
  });
});
