import { DEFAULT_PORTS, type CredentialType, type ParameterField } from "@strongroom/contract";
import { describe, expect, test } from "vitest";
import {
  EMPTY_FORM,
  checkForm,
  editPayloadOf,
  formOf,
  newPayloadOf,
  payloadOf,
  portAfterType,
  type CredentialFormValues,
} from "./credential-form-values.ts";
import { aCredential } from "../testing/a-credential.ts";

const filled = (given: Partial<CredentialFormValues> = {}): CredentialFormValues => ({
  ...EMPTY_FORM,
  name: "Orders database",
  value: "correct horse battery",
  ...given,
});

const database = (given: Partial<CredentialFormValues> = {}) =>
  filled({ type: "postgresql", database_name: "orders", schema_name: "public", ...given });

describe("validation of the credential form", () => {
  test("OPEN-53: each broken rule has a message that names the field and the rule", () => {
    const broken = database({
      name: "ab",
      username: "x",
      port: "70000",
      value: "short",
      database_name: "",
      schema_name: "",
      connection_string: "db01.internal",
      additional_params: { password: "hunter2222" },
    });
    expect(checkForm(broken, "add")).toEqual({
      name: "Name must be 3 to 100 characters",
      username: "Username must be 2 to 50 characters",
      port: "Port must be between 1 and 65535",
      value: "Password/secret must be at least 8 characters",
      database_name: "Database name is required",
      schema_name: "Schema name is required",
      connection_string: "Connection string must have the form scheme://host:port/database",
      additional_params: "Additional parameters are not encrypted: put secrets in the secret field",
    });
  });

  test("accepts a complete form", () => {
    expect(checkForm(filled(), "add")).toEqual({});
    expect(checkForm(database(), "add")).toEqual({});
  });

  test.each(["", "ab", "a".repeat(101)])(
    "CRED-26: rejects the name %j, which is not 3 to 100 characters long",
    (name) => {
      expect(checkForm(filled({ name }), "add").name).toBe("Name must be 3 to 100 characters");
    },
  );

  test.each(["abc", "a".repeat(100)])("CRED-26: accepts the name %j", (name) => {
    expect(checkForm(filled({ name }), "add")).toEqual({});
  });

  test("CRED-27: requires a type", () => {
    expect(checkForm(filled({ type: "" as CredentialType }), "add").type).toBeDefined();
  });

  test("CRED-28: accepts an empty username or one of 2 to 50 characters", () => {
    expect(checkForm(filled({ username: "" }), "add")).toEqual({});
    expect(checkForm(filled({ username: "ab" }), "add")).toEqual({});
    expect(checkForm(filled({ username: "a" }), "add").username).toBe("Username must be 2 to 50 characters");
    expect(checkForm(filled({ username: "a".repeat(51) }), "add").username).toBeDefined();
  });

  test.each(["0", "65536", "-1", "22.5", "ssh"])("CRED-29: rejects the port %s", (port) => {
    expect(checkForm(filled({ port }), "add").port).toBe("Port must be between 1 and 65535");
  });

  test.each(["", "1", "65535"])("CRED-29: accepts the port %j", (port) => {
    expect(checkForm(filled({ port }), "add")).toEqual({});
  });

  test("CRED-30: requires a secret of at least 8 characters", () => {
    expect(checkForm(filled({ value: "1234567" }), "add").value).toBe("Password/secret must be at least 8 characters");
    expect(checkForm(filled({ value: "" }), "add").value).toBeDefined();
    expect(checkForm(filled({ value: "12345678" }), "add")).toEqual({});
  });

  test("an edit may omit the secret but not shorten it below the minimum", () => {
    expect(checkForm(filled({ value: "" }), "edit")).toEqual({});
    expect(checkForm(filled({ value: "short" }), "edit").value).toBeDefined();
  });

  test("CRED-31: accepts only development, staging and production as environment", () => {
    const environment = "test" as CredentialFormValues["environment"];
    expect(checkForm(filled({ environment }), "add").environment).toBeDefined();
  });

  test.each(["database", "mysql", "postgresql", "mssql", "oracle", "mongodb"] as const)(
    "CRED-25, CRED-32: %s requires a database name",
    (type) => {
      expect(checkForm(database({ type, database_name: "" }), "add").database_name).toBe("Database name is required");
    },
  );

  test.each(["postgresql", "oracle"] as const)("CRED-33: %s also requires a schema name", (type) => {
    expect(checkForm(database({ type, schema_name: "" }), "add").schema_name).toBe("Schema name is required");
  });

  test("CRED-33: other database types do not require a schema name", () => {
    expect(checkForm(database({ type: "mysql", schema_name: "" }), "add")).toEqual({});
  });

  test("CRED-38: a connection string can contain the database name", () => {
    const values = database({ database_name: "", connection_string: "postgresql://db01.internal/orders" });
    expect(checkForm(values, "add")).toEqual({});
  });

  test("OPEN-82: requires a connection string of the form scheme://…, and reports an unreadable one as an error", () => {
    expect(checkForm(database({ connection_string: "db01.internal" }), "add").connection_string).toBeDefined();
    expect(checkForm(database({ connection_string: "postgresql://[broken" }), "add").connection_string).toBeDefined();
  });

  test("rejects a connection string that contains a password", () => {
    const connection_string = "postgresql://app:hunter2222@db01.internal/orders";
    expect(checkForm(database({ connection_string }), "add").connection_string).toMatch(/secret field/);
  });

  test("CRED-34: reports a described parameter with an invalid value", () => {
    const values = filled({ additional_params: { protocol: "rabbitmq", management_port: "x" } });
    const field: ParameterField = { kind: "number", name: "management_port", label: "Port", min: 1, max: 65_535 };
    const message = "Port must be a number from 1 to 65535";
    expect(checkForm(values, "add", { fields: [field], stored: {} })).toEqual({
      "additional_params.management_port": message,
    });
  });

  test("rejects secrets among the additional parameters, because those are not encrypted", () => {
    const additional_params = { password: "hunter2222" };
    expect(checkForm(database({ additional_params }), "add").additional_params).toMatch(/not encrypted/);
  });
});

describe("the payload of the credential form", () => {
  test("CRED-09, OPEN-47: contains the fields of the create call, including the environment", () => {
    const sent = newPayloadOf(
      database({
        username: " app_owner ",
        host: "db01.internal",
        port: "5432",
        environment: "staging",
        connection_string: "postgresql://db01.internal:5432/orders",
        ssl_enabled: true,
        additional_params: { sslmode: "verify-full" },
      }),
    );
    expect(sent).toEqual({
      name: "Orders database",
      type: "postgresql",
      value: "correct horse battery",
      username: "app_owner",
      host: "db01.internal",
      port: 5432,
      environment: "staging",
      database_name: "orders",
      schema_name: "public",
      connection_string: "postgresql://db01.internal:5432/orders",
      ssl_enabled: true,
      additional_params: { sslmode: "verify-full" },
    });
  });

  test("CRED-37, OPEN-51: sends empty optional fields as null, empty parameters as {} and SSL as false", () => {
    expect(payloadOf(filled({ username: "  ", additional_params: {} }))).toMatchObject({
      username: null,
      host: null,
      port: null,
      database_name: null,
      schema_name: null,
      connection_string: null,
      ssl_enabled: false,
      additional_params: {},
    });
  });

  test("omits database fields that were entered before a different type was chosen", () => {
    expect(payloadOf(database({ type: "password", ssl_enabled: true }))).toMatchObject({
      database_name: null,
      schema_name: null,
      ssl_enabled: false,
    });
    expect(payloadOf(database({ type: "mysql" })).schema_name).toBe("public");
  });

  test("an edit sends the secret only when there is a new one", () => {
    expect(editPayloadOf(filled({ value: "" }))).not.toHaveProperty("value");
    expect(editPayloadOf(filled({ value: "a new secret" }))).toHaveProperty("value", "a new secret");
  });

  test("a stored credential passes through the form unchanged, without its secret", () => {
    const credential = aCredential({ additional_params: { sslmode: "require" }, ssl_enabled: true, username: null });
    const form = formOf(credential);
    expect(form.value).toBe("");
    expect(payloadOf(form)).toMatchObject({
      name: credential.name,
      username: null,
      host: credential.host,
      port: 5432,
      database_name: "orders",
      additional_params: { sslmode: "require" },
      ssl_enabled: true,
    });
  });
});

describe("the default port of a type", () => {
  test.each([
    ["mysql", 3306],
    ["postgresql", 5432],
    ["mssql", 1433],
    ["oracle", 1521],
    ["mongodb", 27017],
  ] as const)("CRED-35: choosing %s prefills %i", (type, port) => {
    expect(portAfterType("", "password", type)).toBe(String(port));
    expect(DEFAULT_PORTS[type]).toBe(port);
  });

  test("replaces a prefilled port with the next type's default, or clears it", () => {
    expect(portAfterType("3306", "mysql", "postgresql")).toBe("5432");
    expect(portAfterType("3306", "mysql", "password")).toBe("");
  });

  test("keeps a typed port", () => {
    expect(portAfterType("3307", "mysql", "postgresql")).toBe("3307");
  });
});
