// Cases of the engine that its score depends on: names, values, syntaxes, tokens, hashes and certificates.
import assert from "node:assert/strict";
import { test } from "node:test";
import { crc32 } from "node:zlib";
import { scanText } from "./index.ts";
import type { Finding } from "./index.ts";

const find = (path: string, text: string): Finding[] => scanText(text, { path });
const values = (path: string, text: string): string[] => find(path, text).map((found) => found.reveal());

const FOUND: [path: string, text: string, value: string][] = [
  ["a.env", "DB_PASSWORD=Kj8-plum-92", "Kj8-plum-92"],
  ["a.ini", "pass = Kj8-plum-92 ; comment", "Kj8-plum-92"],
  ["a.yml", "password: 'Kj8-plum-92' # comment", "Kj8-plum-92"],
  ["a.yml", "users: [{name: bob, password: Kj8-plum-92}]", "Kj8-plum-92"],
  ["a.yml", "env:\n  - name: DB_PASSWORD\n    value: Kj8-plum-92\n", "Kj8-plum-92"],
  ["a.json", '{"db":{"password":"Kj8-\\"plum-92"}}', 'Kj8-"plum-92'],
  ["a.xml", "<db><password>Kj8&amp;plum-92</password></db>", "Kj8&plum-92"],
  ["Web.config", '<add key="SmtpPassword" value="Kj8-plum-92"/>', "Kj8-plum-92"],
  ["Web.config", '<add connectionString="Server=a;User Id=b;Password=Kj8-plum-92;"/>', "Kj8-plum-92"],
  ["a.toml", 'token = "dJk392kdJ29dkJe02kd"', "dJk392kdJ29dkJe02kd"],
  ["a.tf", 'variable "db_password" {\n  default = "Kj8-plum-92"\n}', "Kj8-plum-92"],
  ["a.sh", "mysql -uroot -pKj8-plum-92 app", "Kj8-plum-92"],
  ["a.sh", "curl -u bob:Kj8-plum-92 https://api.example.net", "Kj8-plum-92"],
  ["a.sh", "PW=${DB_PASSWORD:-Kj8-plum-92}", "Kj8-plum-92"],
  ["a.php", "define( 'DB_PASSWORD', 'Kj8-plum-92' );", "Kj8-plum-92"],
  ["a.py", 'auth = ("bob", "Kj8-plum-92")', "Kj8-plum-92"],
  ["a.go", 'secretKey := []byte("kd93kdLs02kdkX77")', "kd93kdLs02kdkX77"],
  ["a.sql", "CREATE USER app IDENTIFIED BY 'Kj8-plum-92';", "Kj8-plum-92"],
  ["a.sql", "  erp_password CONSTANT VARCHAR2(40 CHAR) := 'Kj8-plum-92';", "Kj8-plum-92"],
  ["a.sql", "  v_password text := 'Kj8-plum-92';", "Kj8-plum-92"],
  ["a.sql", "DECLARE @password nvarchar(50) = N'Kj8-plum-92';", "Kj8-plum-92"],
  ["a.sql", "INSERT INTO users (name, password) VALUES ('bob', 'Kj8-plum-92');", "Kj8-plum-92"],
  ["/etc/nslcd.conf", "bindpw Kj8-plum-92", "Kj8-plum-92"],
  ["/root/.pgpass", "db1:5432:app:bob:Kj8-plum-92", "Kj8-plum-92"],
  ["/root/.netrc", "machine h login bob password Kj8-plum-92", "Kj8-plum-92"],
  ["users.csv", "name,password\nbob,Kj8-plum-92\n", "Kj8-plum-92"],
  ["a.ldif", "userPassword:: S2o4LXBsdW0tOTI=", "Kj8-plum-92"],
  ["secret.yaml", "kind: Secret\ndata:\n  password: S2o4LXBsdW0tOTI=\n", "Kj8-plum-92"],
  ["config.json", '{"auths":{"r":{"auth":"Ym9iOktqOC1wbHVtLTky"}}}', "Kj8-plum-92"],
  ["a.conf", "url=postgres://bob:Kj8%2Dplum@db1:5432/app", "Kj8-plum"],
  ["secrets.yaml", "alarm: Kj8-plum-92\n", "Kj8-plum-92"],
  ["a.ini", "[admins]\nbob = Kj8-plum-92\n[log]\nlevel = Kj8-plum-93\n", "Kj8-plum-92"],
  ["a.yml", "secrets:\n  app: dJk392kdJ29dkJe02kd\nname: dJk392kdJ29dkJe02ke\n", "dJk392kdJ29dkJe02kd"],
  ["a.json", '{"tokens":{"agent":"0b5e4f7c-3a52-4d6e-9f0a-6c1d2e3f4a5b"}}', "0b5e4f7c-3a52-4d6e-9f0a-6c1d2e3f4a5b"],
  ["config.php", "$config['snmp']['community'] = array('Kj8-plum-92');", "Kj8-plum-92"],
  ["settings.py", "component_secret = 'plum-kj-river'", "plum-kj-river"],
  ["a.cfg", 'modparam("auth", "secret", "Kj8-plum-92")', "Kj8-plum-92"],
  ["a.pm", "Set( $DatabasePassword, 'Kj8-plum-92');", "Kj8-plum-92"],
  ["a.pm", "$dsn = ['DBI:mysql:database=a', 'bob', 'Kj8-plum-92'];", "Kj8-plum-92"],
  ["a.conf", 'cloak-keys { "dJk392kdJ29dkJe02kdPq81"; }', "dJk392kdJ29dkJe02kdPq81"],
  ["router.cfg", "snmp-server community plumriver ro", "plumriver"],
  ["/etc/nut/upsmon.conf", "MONITOR ups@localhost 1 bob Kj8-plum-92 primary", "Kj8-plum-92"],
  ["/root/.cloginrc", "add password *.example.net Kj8-plum-92", "Kj8-plum-92"],
  ["/etc/redis/sentinel.conf", "sentinel auth-pass primary Kj8-plum-92", "Kj8-plum-92"],
  ["notes.txt", "- vpn password is Kj8-plum-92 (change next week!)", "Kj8-plum-92"],
  ["a.yml", "routing_key: 0b5e4f7c3a524d6e9f0a6c1d2e3f4a5b", "0b5e4f7c3a524d6e9f0a6c1d2e3f4a5b"],
  ["a.conf", "wifi_key=Kj8-plum-92", "Kj8-plum-92"],
  ["a.rb", 'PASSWORD = "Kj8-plum-92".freeze', "Kj8-plum-92"],
  ["a.conf", 'jaas = "Module required username=\\"bob\\" password=\\"Kj8-plum-92\\";"', "Kj8-plum-92"],
  ["a.sh", "db2 connect to APP user bob using Kj8-plum-92", "Kj8-plum-92"],
  ["a.ini", "authPhrase = Kj8-plum-92", "Kj8-plum-92"],
  ["a.xml", "<name>app.db.Password</name>\n  <value>Kj8-plum-92</value>", "Kj8-plum-92"],
  ["a.ini", "[users]\nbob = Kj8-plum-92, admin\n[roles]\nadmin = *\n", "Kj8-plum-92"],
  ["a.py", 'API_TOKENS = {\n  "agent": "dJk392kdJ29dkJe02kd",\n}\n', "dJk392kdJ29dkJe02kd"],
  ["a.pl", '$ftp->login("bob", "Kj8-plum-92");', "Kj8-plum-92"],
  ["a.properties", "db.url=jdbc:oracle:thin:bob/Kj8plum92@//db1:1521/APP", "Kj8plum92"],
  ["a.sh", "APP_CONN=app/Kj8plum92@ERP1", "Kj8plum92"],
  ["a.ps1", "net use \\\\files\\hr /user:EXAMPLE\\bob Kj8-plum-92 | Out-Null", "Kj8-plum-92"],
  ["a.conf", "node.cookie = dJk392kdJ29dkJe02kdPq", "dJk392kdJ29dkJe02kdPq"],
  ["a.conf", "dns_application_key = dJk392kdJ29dkJe0", "dJk392kdJ29dkJe0"],
  [
    "a.keyring",
    "[client.a]\n\tkey = dJk392kdJ29dkJe02kdPq81bX73nQeYtLs0vWz5uAc4=",
    "dJk392kdJ29dkJe02kdPq81bX73nQeYtLs0vWz5uAc4=",
  ],
];
test("values are found in every syntax, decoded", () => {
  for (const [path, text, value] of FOUND) assert.deepEqual(values(path, text), [value], `${path}: ${text}`);
});

test("every login of a URL with several hosts is found", () => {
  assert.deepEqual(values("a.conf", "url = rabbit://app:Kj8-plum-92@mq1:5672,app:Xr5-kiwi-31@mq2:5672/"), [
    "Kj8-plum-92",
    "Xr5-kiwi-31",
  ]);
});

test("an Argon2 hash with parameters is a hash, not a token", () => {
  const hash = "$argon2id$v=19$m=65540,t=3,p=4$c2FsdHNhbHRzYWx0$Zm9vYmFyYmF6Zm9vYmFyYmF6Zm9vYmFyYmF6";
  assert.deepEqual(
    find("a.env", `ADMIN_TOKEN='${hash}'`).map((found) => found.class),
    ["password_hash"],
  );
});

const NOT_FOUND: [path: string, text: string][] = [
  ["Web.config", '<section type="Log, log4net, PublicKeyToken=669e0ddf0bb1aa2a"/>'],
  ["a.yml", "SECRET: ${APP_SECRET:?missing1}"],
  ["a.ini", "[users]\nbob = 1000\nadmin = readonly\n"],
  ["a.xml", "<name>app.password.store</name>\n  <value>Kj8-plum-92</value>"],
  ["a.py", 'TOKENS = {\n  "access": "access_token",\n  "refresh": "refresh_token",\n}\n'],
  ["a.conf", "userid=HTTP/www@EXAMPLE.NET"],
  ["a.env", "PASSWORD_FILE=/run/secrets/db"],
  ["a.env", "PASSWORD=${DB_PASSWORD}"],
  ["a.env", "PASSWORD_MIN_LENGTH=12"],
  ["a.env", "API_KEY=your_api_key_here"],
  ["a.env", "SECRET=vault:secret/data/app#key"],
  ["a.properties", "password=ENC(G6N718UuyPE5bHyWKyuLQSm02auQPUtm)"],
  ["a.yml", "password: '{{ vault_password }}'"],
  ["a.yml", "password: !vault |\n  $ANSIBLE_VAULT;1.1;AES256\n  313233"],
  ["a.tf", "password = var.db_password"],
  ["a.sh", "pwd=`pwd`"],
  ["a.sh", "mysql -u root -p app"],
  ["a.sql", "CREATE TABLE users (name varchar(50), password varchar(50) NOT NULL);"],
  ["a.sql", "  v_password VARCHAR2(40) := get_password('erp');"],
  ["a.js", "const password = await prompt('Password: ');"],
  ["a.js", "if (password === confirmation) return;"],
  ["locales/de.json", '{"password":"Kennwort vergessen"}'],
  ["package.json", '{"dependencies":{"minipass":"^7.0.4"}}'],
  ["/etc/pam.d/common-password", "password requisite pam_pwquality.so retry=3"],
  ["/etc/services", "kpasswd 464/tcp"],
  ["README.md", "Run `app --password <password>` and export API_KEY=your_key."],
  [".env.example", "DB_PASSWORD=secret"],
  ["secrets.yaml", "lastmodified: 2026-01-01T00:00:00Z\ndb_host: db1.example.net\n"],
  ["secrets.example.yaml", "alarm: Kj8-plum-92\n"],
  ["a.js", "const rules = { password: ['required', 'min:8'] };"],
  ["a.ini", "[tokens]\nlifetime_policy = standard\n"],
  ["/etc/fstab", "//nas/media /mnt cifs credentials=/etc/smb.cred,ro 0 0"],
  ["README.md", "The password is case-sensitive, and the passphrase is required."],
  ["a.yml", "routing_key: orders.created"],
];
test("placeholders, references, labels and settings about secrets are no findings", () => {
  for (const [path, text] of NOT_FOUND) assert.deepEqual(values(path, text), [], `${path}: ${text}`);
});

test("a random password that begins like a placeholder is a finding", () => {
  assert.deepEqual(values("a.env", "DB_PASSWORD=my7hvRkey3VtpwJoFA2I"), ["my7hvRkey3VtpwJoFA2I"]);
  assert.deepEqual(values("a.env", "DB_PASSWORD=mySecretPasswordHere"), []);
});

test("well-known passwords have a separate class", () => {
  assert.equal(find("a.yml", "password: changeme")[0]?.class, "weak_password");
  assert.equal(find("/etc/snmp/snmpd.conf", "rocommunity public")[0]?.class, "weak_password");
});

test("hashed passwords name their user", () => {
  const [found] = find("/etc/shadow", `ops:$6$abcdEFGH$${"aB3/".repeat(21)}xY:19700:0:99999:7:::`);
  assert.equal(found?.class, "password_hash");
  assert.equal(found?.userName, "ops");
});

test("a provider token with a valid checksum is certain, and one with a wrong checksum is less so", () => {
  const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  const body = "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0";
  let [sum, check] = [crc32(body), ""];
  for (; sum > 0; sum = Math.floor(sum / 62)) check = alphabet[sum % 62]! + check;
  const right = find("notes", `x ghp_${body}${check.padStart(6, "0")} y`)[0];
  const wrong = find("notes", `x ghp_${body}0aB1cD y`)[0];
  assert.equal(right?.detector, "github-token");
  assert.equal(right?.confidence, 1);
  assert.ok(wrong !== undefined && wrong.confidence < 0.8);
});

test("the context names user, host and port", () => {
  const [found] = find("a.ini", "[db]\nhost = db1.example.net\nport = 5432\nuser = app_rw\npassword = Kj8-plum-92\n");
  assert.deepEqual([found?.userName, found?.host, found?.port], ["app_rw", "db1.example.net", 5432]);
  const [inUrl] = find("a.env", "URL=postgres://bob:Kj8-plum@db2:5433/app?x=1");
  assert.deepEqual(
    [inUrl?.userName, inUrl?.host, inUrl?.port, inUrl?.url],
    ["bob", "db2", 5433, "postgres://db2:5433/app"],
  );
});

test("a secret gets no user or host of another secret's settings", () => {
  const settings = "DB_HOST=db1.internal\nDB_USER=shop\nDB_PASSWORD=kT7-mVq2Lx9w\nSMTP_PASSWORD=b4rk-Hollow-91\n";
  const users = (text: string) => find("app.env", text).map(({ keyName, userName, host }) => [keyName, userName, host]);
  assert.deepEqual(users(settings), [
    ["DB_PASSWORD", "shop", "db1.internal"],
    ["SMTP_PASSWORD", null, null],
  ]);
  assert.deepEqual(users("DATABASE_USER=shop\nDB_PASSWORD=kT7-mVq2Lx9w\n"), [["DB_PASSWORD", "shop", null]]);
  assert.deepEqual(users("USER=shop\nDB_PASSWORD=kT7-mVq2Lx9w\n"), [["DB_PASSWORD", "shop", null]]);
});

test("a service user makes the finding one of a service account", () => {
  assert.equal(find("a.ini", "user = svc-backup\npassword = Kj8-plum-92\n")[0]?.type, "service_account");
  assert.equal(find("a.ini", "user = ann\npassword = Kj8-plum-92\n")[0]?.type, "hardcoded_password");
});

test("only the wanted classes are returned", () => {
  const text = "password=Kj8-plum-92\ntoken=dJk392kdJ29dkJe02kd\n";
  assert.deepEqual(
    scanText(text, { path: "a.env", classes: ["api_token"] }).map((found) => found.class),
    ["api_token"],
  );
});
