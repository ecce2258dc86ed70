// Secrets that the name of the setting does not announce: glued and foreign names, parents, users beside them, positions.
import assert from "node:assert/strict";
import { test } from "node:test";
import { scanText } from "./index.ts";

const values = (path: string, text: string): string[] => scanText(text, { path }).map((found) => found.reveal());

type Case = [path: string, text: string, ...values: string[]];

function check(cases: readonly Case[]): void {
  for (const [path, text, ...expected] of cases) assert.deepEqual(values(path, text), expected, `${path}: ${text}`);
}

const TOKEN = "dJk392kdJ29dkJe02kdPq81bX73nQe";
const HEX = "9f86d081884c7d659a2feaa0c55ad015";

test("names in one piece and in other languages are split into words", () => {
  check([
    ["a.php", `<?php $cfg->passwordsaltmain = '${TOKEN}';`, TOKEN],
    ["a.conf", "dbpasswd1 = Kj8-plum-92", "Kj8-plum-92"],
    ["a.env", "DBROPW=Kj8-plum-92", "Kj8-plum-92"],
    ["a.properties", "base.motDePasse=Kj8-plum-92", "Kj8-plum-92"],
    ["a.cfg", "clave_acceso = Kj8-plum-92", "Kj8-plum-92"],
    ["a.ini", "DBKennwort=Kj8-plum-92", "Kj8-plum-92"],
    ["a.properties", "idp.LDAP.bindDNCredential = plumriver", "plumriver"],
    ["a.json", `{"node_secret": "${TOKEN}"}`, TOKEN],
    ["a.conf", `api key = 0b5e4f7c-3a52-4d6e-9f0a-6c1d2e3f4a5b`, "0b5e4f7c-3a52-4d6e-9f0a-6c1d2e3f4a5b"],
    ["a.conf", "passwordfile = Kj8-plum-92"],
    ["a.conf", "passwordminlength = Kj8-plum-92"],
    ["a.service", "LoadCredential=tls.key:/etc/app/tls.key"],
    ["a.conf", "attrs = uid=user,userPassword=password"],
    ["a.ini", "InputPin = GPIO12"],
  ]);
});

test("a generated value is found under any name that is not public", () => {
  check([
    ["a.json", `{"cookie_hash": "${TOKEN}"}`, TOKEN],
    ["a.xml", `<cloud><GPP_K>${TOKEN}</GPP_K></cloud>`, TOKEN],
    ["a.conf", `header-value = "${TOKEN}"`, TOKEN],
    ["conf.php", `<?php $main_instance_unique_id='${HEX}';`, HEX],
    ["a.conf", `join-string ${TOKEN}`, TOKEN],
    ["a.json", `{"client_id": "${TOKEN}"}`],
    ["a.conf", `PublicKey = ${TOKEN}`],
    ["a.conf", `# example = ${TOKEN}`],
    ["a.json", `{"revision": "${HEX}", "etag": "${HEX}", "build": "${HEX}"}`],
    ["a.yml", `secure: ${TOKEN}`],
    ["a.conf", "handler = XF86VidModeGetDotClocks"],
    ["a.conf", "algorithm = PBEWithHmacSHA256AndAES_256"],
    ["a.js", `const anything = "${TOKEN}";`],
    ["a.env", "STRIPE_KEY=pk_live_51HabcDEF0123456789abcdef"],
  ]);
});

test("a parent names its parts", () => {
  check([
    ["a.yml", "db:\n  password:\n    value: Kj8-plum-92\n    source: literal\n", "Kj8-plum-92"],
    ["a.toml", '[relay.password]\nid = "relay-4"\nvalue = "Kj8-plum-92"\n', "Kj8-plum-92"],
    ["a.json", `{"secret": {"inbox": {"string": "${TOKEN}"}}}`, TOKEN],
    ["a.yml", "label:\n  value: Kj8-plum-92\n"],
    ["a.conf", "password [success=1 default=ignore] pam_unix.so\n"],
  ]);
});

test("a user name beside a weak name makes its value a password", () => {
  check([
    ["a.ini", "[Terminal]\nUser=kiosk\nAccessPhrase=Kj8-plum-92\n", "Kj8-plum-92"],
    ["wireless", "option ssid 'office'\noption key 'Kj8-plum-92'\n", "Kj8-plum-92"],
    ["a.xml", '<gate user="gate" code="jcptx34oyye"/>', "jcptx34oyye"],
    ["a.ini", "[Door]\nZone=4\nAccessPhrase=Kj8-plum-92\n"],
    ["a.xml", '<pair name="username" value="bob"/><pair name="code" value="jcptx34oyye"/>', "jcptx34oyye"],
    ["a.xml", '<pair name="login" value="svc-fence@vsphere.example"/>'],
  ]);
});

test("a login in one value has a password", () => {
  check([
    ["a.conf", "stream_authentication viewer:jcptx34oyye", "jcptx34oyye"],
    ["a.env", "NEO4J_AUTH=neo4j/jcptx34oyye", "jcptx34oyye"],
    ["a.yml", "auth: print:Kj8-plum-92", "Kj8-plum-92"],
    ["sip.conf", "register => 4930:jcptx34oyye@sip.example.net/4930", "jcptx34oyye"],
    ["a.conf", "proxy = bob:Kj8-plum-92@proxy.example.net:3128", "Kj8-plum-92"],
    ["a.conf", "contact = mailto:jcptx34oyye@example.net"],
    ["a.conf", "proxy = proxy.example.net:3128"],
    ["a.conf", "login = https:Kj8-plum-92"],
    ["a.ini", "User1=bob,jcptx34oyye,admin", "jcptx34oyye"],
    ["a.conf", 'user_super="Kj8-plum-92";', "Kj8-plum-92"],
    ["a.sh", "rclone config create x sftp user bob pass jcptx34oyye", "jcptx34oyye"],
    ["a.conf", "The user may pass parameters in a hash."],
    ["ks.cfg", "auth --enableshadow --passalgo=sha512"],
    ["a.conf", "incominguser backup jcptx34oyye", "jcptx34oyye"],
    ["a.conf", "C: cam.example.net 12000 guest jcptx34oyye", "jcptx34oyye"],
    ["a.conf", "$Date: host.example 4000 2007-05-30 14:29:01Z $"],
  ]);
});

test("a host, a port and a user are followed by a password", () => {
  check([
    ["a.py", 'IMAP = ("imap.example.net", 993, "bob", "Kj8-plum-92")', "Kj8-plum-92"],
    ["a.pm", "['db1.example.net', 3306, 'shop', 'Kj8-plum-92'],", "Kj8-plum-92"],
    ["a.java", 'transport.connect("smtp.example.net", "shop", "Kj8-plum-92");', "Kj8-plum-92"],
    ["a.py", 'auth=util.UserPasswordAuth({"ada": "Kj8-plum-92"})', "Kj8-plum-92"],
    [
      "sys.config",
      '[{app, [{password, "Kj8-plum-92"}, {default_pass, <<"plumriver">>}]}].',
      "Kj8-plum-92",
      "plumriver",
    ],
    ["a.c", 'iconv_open("UTF-8", "ISO-8859-1");'],
    ["a.js", 'socket.connect("tcp", "host-b2c");'],
    ["a.json", '{"db": ["db.example.net", "bob", "Kj8-plum-92"]}', "Kj8-plum-92"],
    ["a.js", `jwt.sign(payload, "${TOKEN}")`, TOKEN],
    ["a.php", '<?php curl_setopt($ch, CURLOPT_USERPWD, "bob:Kj8-plum-92");', "bob:Kj8-plum-92"],
    ["a.php", '<?php ldap_bind($c, "bob", "Kj8-plum-92");', "Kj8-plum-92"],
    ["a.lua", 'local ok = red:auth("Kj8-plum-92")', "Kj8-plum-92"],
    ["a.cs", 'NetworkCredential _credential = new("bob@example.net", "Kj8-plum-92");', "Kj8-plum-92"],
    ["a.py", 'UserPasswordAuth({"ada": "Kj8-plum-92", "dev": "plumriver"})', "Kj8-plum-92", "plumriver"],
    ["a.java", `byte[] MAC_KEY = Base64.getDecoder().decode("${TOKEN}");`, TOKEN],
    ["a.yaml", `keys:\n  APIwLeah7g4fuLYDYAJeaKsSE: ${TOKEN}\n`, TOKEN],
    ["a.js", 'crypto.sign(payload, "algorithm-parameters")'],
    ["a.py", 'LIMITS = ("api.example.net", 443, "burst", "per-host")'],
  ]);
});

test("every item of a list of secrets is judged", () => {
  check([
    ["a.lua", 'snmp = { communities = { "jcptx34oyye", "kydth96mxmq" } }', "jcptx34oyye", "kydth96mxmq"],
    ["a.yml", `tokens:\n  - ${TOKEN}\n  - ${TOKEN}x\n`, TOKEN, `${TOKEN}x`],
    ["a.py", 'PASSWORDS = {"ro": "Kj8-plum-92", "rw": "jcptx34oyye"}', "Kj8-plum-92", "jcptx34oyye"],
    ["a.json", '{"RegisteredUsers": {"radio": "Kj8-plum-92"}}', "Kj8-plum-92"],
    ["a.yml", `tokens:\n  - "node:${HEX}"\n`, HEX],
    ["a.yml", "basic_auth:\n  - ops:jcptx34oyye\n", "jcptx34oyye"],
    ["a.ini", "[auth]\nbob=Kj8-plum-92\n", "Kj8-plum-92"],
    ["a.conf", "users = [ { nkey: UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4 } ]"],
    ["a.conf", 'auth {\n  session-valid = "5 minutes"\n}'],
    ["a.js", 'const keys = ["first", "second"];'],
    ["a.yml", "tokens:\n  - access\n  - refresh\n"],
  ]);
});

test("tables and lists of logins have passwords in a column", () => {
  check([
    ["partners.txt", "# partner|host|user|password\nacme|sftp.acme.example|edi|Kj8-plum-92\n", "Kj8-plum-92"],
    ["accounts.dat", "name;login;pwd;active\nnorth;n01;jcptx34oyye;1\n", "jcptx34oyye"],
    ["mailboxes.lst", "in@example.net:jcptx34oyye\nout@example.net:kydth96mxmq\n", "jcptx34oyye", "kydth96mxmq"],
    ["inituser", "admin:jcptx34oyye\n", "jcptx34oyye"],
    ["users.lst", "bob;1000;/home/bob\nada;1001;/home/ada\n"],
    ["authors.txt", "bob;bob@example.net\nada;ada@example.net\n"],
    ["hosts.txt", "name|address|password policy\nweb1|10.0.0.1|strict\n"],
  ]);
});

test("declarations of older languages and arrays of arguments are read", () => {
  check([
    ["a.vb", 'Private Const DB_PWD As String = "Kj8-plum-92"', "Kj8-plum-92"],
    ["a.cbl", "       01 WS-PASSWORD PIC X(20) VALUE 'jcptx34oyye'.", "jcptx34oyye"],
    ["a.sql", "v_pwd VARCHAR2(30) := 'Kj8-plum-92';", "Kj8-plum-92"],
    ["config.h", '#define MQTT_PASS "river-plum-copper-92"', "river-plum-copper-92"],
    ["a.c", `static const char API_KEY[] = "${TOKEN}";`, TOKEN],
    ["a.robot", "${PASSWORD}    Kj8-plum-92", "Kj8-plum-92"],
    ["a.yml", 'test: ["CMD", "redis-cli", "-a", "jcptx34oyye", "ping"]', "jcptx34oyye"],
    ["a.sh", "unzip -P jcptx34oyye in.zip", "jcptx34oyye"],
    ["a.sh", "7z a -pjcptx34oyye out.7z /srv", "jcptx34oyye"],
    ["a.sh", "mysqladmin -u root password 'Kj8-plum-92'", "Kj8-plum-92"],
    ["a.conf", ".LOGON tdprod/etl,jcptx34oyye", "jcptx34oyye"],
    ["a.cfg", "password manager plaintext plumriver", "plumriver"],
    ["a.cs", 'public string Password { get; set; } = "Kj8-plum-92";', "Kj8-plum-92"],
    ["a.py", `parser.add_argument("--token", default="${TOKEN}")`, TOKEN],
    ["a.ps1", "New-SmbMapping -UserName bob -Password jcptx34oyye", "jcptx34oyye"],
    ["a.md", "* Password: `jcptx34oyye`", "jcptx34oyye"],
    ["config.txt", "DB_USER=bob\nDB_PASSWORD=plumriver\n", "plumriver"],
    ["a.sh", "snmpwalk -v3 -u bob -A jcptx34oyye -X kydth96mxmq h", "jcptx34oyye", "kydth96mxmq"],
    ["a.sql", "EXEC sp_addlinkedsrvlogin 'x', 'false', NULL, 'bob', 'Kj8-plum-92'", "Kj8-plum-92"],
    ["a.conf", `url = https://chat.example.net/hook/${TOKEN}`, TOKEN],
    ["a.conf", "url = https://chat.example.net/hooks/incoming-messages-of-builds"],
    ["a.php", "<?php $CONF['encrypt'] = 'dovecot:SHA512-CRYPT';"],
    ["a.rs", 'const MQTT_PASSWORD: &str = "Kj8-plum-92";', "Kj8-plum-92"],
    ["a.py", 'Client(WSDL, wsse=UsernameToken("ws", "Kj8-plum-92"))', "Kj8-plum-92"],
    ["a.sh", "lftp -u bob,'Kj8-plum-92' sftp://h", "Kj8-plum-92"],
    ["a.cfg", "snmp-server user bob grp v3 auth sha plumriver priv aes 128 riverplum", "plumriver", "riverplum"],
    ["a.cfg", "crypto keyring x\n pre-shared-key address 0.0.0.0 0.0.0.0 key plumriver", "plumriver"],
    ["a.cfg", " server-private 192.0.2.4 key plumriver", "plumriver"],
    ["a.sh", "curl -u bob:'Kj8-plum-92' https://h", "Kj8-plum-92"],
    ["a.sh", "passwd bob <<< 'Kj8-plum-92'", "Kj8-plum-92"],
    ["NuGet.Config", '<add key="ClearTextPassword" value="plumriver" />', "plumriver"],
    ["wifi.xml", "<sharedKey><keyMaterial>plumriver</keyMaterial></sharedKey>", "plumriver"],
    [".google_authenticator", "LZQ4OFLRKCYRAV7EBDMIPK62CQTET4BS\n", "LZQ4OFLRKCYRAV7EBDMIPK62CQTET4BS"],
    ["a.exp", 'set pass "Kj8-plum-92"', "Kj8-plum-92"],
    ["a.sh", "nmcli dev wifi connect shop password jcptx34oyye", "jcptx34oyye"],
    ["a.cfg", "DB_CONN:scale/jcptx34oyye@scale", "jcptx34oyye"],
    ["a.mk", `\tsonar-scanner -Dsonar.login=sqp_${HEX}9a2feaa0`, `sqp_${HEX}9a2feaa0`],
    ["ssl.h", '# define SSL_TXT_kRSAPSK "kRSAPSK"'],
    ["a.conf", "setting $2a$08$wdFGMnaxEPFpVNIcWlXoOO"],
  ]);
});

test("notes of a team give logins in sentences and tables", () => {
  check([
    ["notes.md", "- Registrar: customer 118233, password jcptx34oyye", "jcptx34oyye"],
    ["notes.md", "The passphrase of the backups is `plumriver`.", "plumriver"],
    ["notes.md", "- Wi-Fi: SSID `shop`, key jcptx34oyye", "jcptx34oyye"],
    ["notes.md", "- iLO of db3: Administrator:Kj8-plum-92", "Kj8-plum-92"],
    ["notes.md", "| Host | Login |\n| --- | --- |\n| nas2 | admin / plumriver |\n", "plumriver"],
    ["notes.md", "| Host | Mode |\n| --- | --- |\n| nas2 | read / write-only |\n"],
    ["notes.md", "| Host | Password |\n| --- | --- |\n| db3 | plumriver |\n", "plumriver"],
    ["chat.txt", "10:14 ada: root pw on db3 is jcptx34oyye", "jcptx34oyye"],
    ["chat.txt", "10:14 ada: use jcptx34oyye as the password", "jcptx34oyye"],
    ["mail.eml", "User: bob\nPassword: plumriver\n", "plumriver"],
    ["notes.txt", "vpn: bob / jcptx34oyye", "jcptx34oyye"],
    ["access.txt", "router: 192.0.2.1   admin   jcptx34oyye", "jcptx34oyye"],
    ["access.txt", "router 192.0.2.1, user admin, password is plumriver", "plumriver"],
    ["access.txt", "WLAN: SHOP / jcptx34oyye", "jcptx34oyye"],
    ["packages.txt", "passwd 1:4.13+dfsg1-1+deb12u1"],
    ["notes.md", "The password is-set-by-Ansible2 and the key is SHA256:Xk2vQ9m0rT5bY8nW1cZ4dF7gH3jL6pS0aE2iU5oR8tK"],
  ]);
});

test("dumps of PostgreSQL have secrets below the names of columns", () => {
  check([
    ["a.sql", `COPY public.authtoken (key, user_id) FROM stdin;\n${TOKEN}\t2\n\\.\n`, TOKEN],
    ["a.sql", `COPY public.users (id, password) FROM stdin;\n3\t!${TOKEN}\n4\t\\N\n\\.\n`],
    ["a.sql", "INSERT INTO settings VALUES (3,'smtp_password','Kj8-plum-92'),(4,'site','x');", "Kj8-plum-92"],
    ["a.sql", "INSERT INTO users VALUES (1,'bob','bob@example.net','jcptx34oyye',1);", "jcptx34oyye"],
    ["a.sql", "INSERT INTO global_priv VALUES ('localhost','mariadb.sys','root@localhost');"],
    ["a.sql", `COPY public.document (id, sha256) FROM stdin;\n17\t${HEX}\n\\.\n`],
  ]);
});

test("hashes, fingerprints, encrypted values and references are not passwords", () => {
  check([
    ["a.conf", `Hash = ${HEX}\nSalt = aE(z3;kP1i0_Xq:+?w5e\n`, HEX],
    ["a.toml", `passappsha256 = [\n  "${HEX}", # phone\n]\n`, HEX],
    ["svn/passwd", "[users]\nada = Kj8-plum-92\nbob = plumriver\n", "Kj8-plum-92", "plumriver"],
    ["a.cfg", "encryption-key 8e:12:5d:b0:47:fc:39:a1"],
    ["user.cfg", "token:monitoring@pve!prometheus:0:1::"],
    ["a.json", `{"encryptedKey": "${TOKEN}"}`],
    ["a.context", "stage_Password=enc:routine.encryption.key.v1:7Jx3+Qm0bF2zVt9yLwKc5eR8uHg1nXpA"],
    ["a.yml", "become_password: \"{{ lookup('vault', 'secret=secret/data/ansible:become') }}\""],
    ["a.yml", "- secretKey: password\n"],
    ["user.conf", "sr_check_password = 'Kj8-plum-92'", "Kj8-plum-92"],
    ["user.conf", "sr_check_password = yes"],
    ["pgpool.conf", "pool_passwd = 'pool_passwd'"],
    ["pgpool.conf", "recovery_password = 'AESaXq9tV2m0rT5bY8nW1cZ4dFg=='"],
    ["a.properties", 'basic.password={"type":"environment","variable":"ADMIN_PASSWORD"}'],
    ["a.properties", "key.password=${securepass:/etc/app/secrets.properties:key.password}"],
    ["a.yaml", "password: { type: string, minLength: 12 }"],
    ["a.yml", 'password: "!"\nupdate_password: on_create\nexistingSecret: portal-auth\n'],
    ["a.yaml", `encryptedkey: ${TOKEN}`],
    ["smbpasswd", `scan:1004:${"X".repeat(32)}:${HEX.toUpperCase()}:[U ]:LCT-63F0A1B2:\n`, HEX.toUpperCase()],
    ["psk.txt", "192.0.2.77 plumriver\n", "plumriver"],
    ["a.sh", 'adduser --disabled-password --gecos "" backup'],
    ["netdata/stream.conf", "[0b5e4f7c-3a52-4d6e-9f0a-6c1d2e3f4a5b]\n", "0b5e4f7c-3a52-4d6e-9f0a-6c1d2e3f4a5b"],
  ]);
});
