// Cases that real configuration files of public repositories have: odd characters, weak values, comments, notes, equipment.
import assert from "node:assert/strict";
import { test } from "node:test";
import { scanText } from "./index.ts";

const values = (path: string, text: string): string[] => scanText(text, { path }).map((found) => found.reveal());

const FOUND: [path: string, text: string, value: string][] = [
  // The salt has the syntax of a template, of a variable and of a path.
  [
    "wp-config.php",
    "define('AUTH_KEY', '{Kj&/]8~Nt2w=8+0x/,SJnK4{Nl$CmHFS;=NiVo~&Bt~an.5v Ug32HY1$I8lHl');",
    "{Kj&/]8~Nt2w=8+0x/,SJnK4{Nl$CmHFS;=NiVo~&Bt~an.5v Ug32HY1$I8lHl",
  ],
  ["/etc/snmp/snmpd.conf", "rocommunity public 10.0.8.5", "public"],
  ["/etc/snmp/snmpd.conf", "trapsink 10.0.4.15 plum-trap", "plum-trap"],
  ["sw1.cfg", "snmp-server community public ro", "public"],
  ["juniper.conf", '    secret "$9$HPsgxJW6U3ZTK7ZTiG4SQgR"; ## SECRET-DATA', "$9$HPsgxJW6U3ZTK7ZTiG4SQgR"],
  ["juniper.conf", "dhcp {\n    user juniper;\n    password juniper;\n}", "juniper"],
  ["gw.rsc", 'add mode=dynamic-keys wpa2-pre-shared-key="plum and kiwi"', "plum and kiwi"],
  ["gw.rsc", "/snmp community\nset [ find default=yes ] addresses=10.4.9.12/32 name=plumRO\n", "plumRO"],
  ["fgt.conf", 'config system snmp community\n    edit 1\n        set name "plum-read"\n', "plum-read"],
  ["sw2.cfg", 'password operator user-name "bob" plaintext "plumkiwi"', "plumkiwi"],
  ["sw3.cfg", "tacacs server t1\n address ipv4 10.0.0.1\n key tac+plum92\n", "tac+plum92"],
  ["/etc/config/wireless", "config wifi-iface\n\toption key 'plum481'\n", "plum481"],
  ["/etc/haproxy/haproxy.cfg", "  stats auth admin:admin", "admin"],
  ["/etc/bacula/bacula-fd-default.conf", 'Director {\n  Password = "bacula"\n}', "bacula"],
  ["a.conf", '#poll mail.example.net protocol imap user "bob" ssl password "pl0m-kiwi"', "pl0m-kiwi"],
  ["hosts.ini", "#node2 ansible_host=10.0.0.2 ansible_user=bob ansible_password=plum", "plum"],
  ["/etc/postfix/sasl_passwd", "#smtp.example.net:587 bob:plum415\n", "plum415"],
  ["a.env", "JWT_SECRET=my_secret", "my_secret"],
  ["settings.py", "SECRET_KEY = os.environ.get('SECRET_KEY', 'dev-secret-change-me')", "dev-secret-change-me"],
  ["a.php", "$user = 'root';\n$password = '1234';\n", "1234"],
  ["Conn.java", 'DriverManager.getConnection("jdbc:mysql://db1/app", "root", "admin");', "admin"],
  ["a.go", 'sql.Open("mysql", "root:plumkiwi@/app?parseTime=true")', "plumkiwi"],
  ["a.java", '//  static final String PASSWORD = "plumkiwi87";', "plumkiwi87"],
  ["auth.js", "const token = jwt.sign({ id: user._id }, 'plumplumkiwikiwi', { expiresIn: '1h' });", "plumplumkiwikiwi"],
  ["mail.js", "auth: { user: 'bob@example.net', pass: 'kzpm vwqe tyrn hdxb' }", "kzpm vwqe tyrn hdxb"],
  ["Jenkinsfile", "sh 'mvn sonar:sonar -Dsonar.password=plumkiwi'", "plumkiwi"],
  ["Jenkinsfile", "sh 'docker build --build-arg DB_PASSWORD_ARG=plum9kiwi .'", "plum9kiwi"],
  ["job.xml", "<command>sshpass -p &apos;Kj8&amp;plum&apos; scp a.tgz bob@db1:/tmp/</command>", "Kj8&plum"],
  ["ci.yml", `- curl -H "X-Gitlab-Token: nH4r37RjUkcK86KTmeTd" https://hooks.example.net/a`, "nH4r37RjUkcK86KTmeTd"],
  ["main.tf", "  user_data = <<EOF\nansible_ssh_pass=plum92\nEOF\n", "plum92"],
  ["setup.sh", "cat > kibana.yml <<EOF\nelasticsearch.password: changeme\nEOF\n", "changeme"],
  ["preseed.cfg", "  d-i passwd/user-password password plumkiwi", "plumkiwi"],
  ["Vagrantfile", "echo 'mysql-server/root_password password plum92' | debconf-set-selections", "plum92"],
  [
    "local.xml",
    "<crypt><key><![CDATA[917893e7cf8580c12dd0b91434a66c7f]]></key></crypt>",
    "917893e7cf8580c12dd0b91434a66c7f",
  ],
  [
    "docker-compose.yml",
    '- "traefik.http.middlewares.a.basicauth.users=bob:$$apr1$$A3x5TMR7$$uZs5lAU2CVymyNsWMHLSJ3"',
    "$$apr1$$A3x5TMR7$$uZs5lAU2CVymyNsWMHLSJ3",
  ],
  ["notes.txt", "WLAN: SSID PLUM, PSK: HausZwoelf!Technik", "HausZwoelf!Technik"],
  ["notes.md", "- accès ssh : `debian` / mot de passe : Vigne&Rouge33", "Vigne&Rouge33"],
];
test("secrets of real files are found", () => {
  for (const [path, text, value] of FOUND) assert.deepEqual(values(path, text), [value], `${path}: ${text}`);
});

const NOT_FOUND: [path: string, text: string][] = [
  ["a.env", "JWT_SECRET_KEY=%kernel.project_dir%/config/jwt/private.pem"],
  ["/etc/zabbix/zabbix_server.conf", "### Option: DBPassword\n# Default:\n# DBPassword=\n"],
  ["/etc/grafana/grafana.ini", "password = $__file{/etc/grafana/smtp_password}"],
  ["package.json", '{"scripts":{"reset-password":"node dist/tools/reset-password.js"}}'],
  ["unattend.xml", '<settings pass="specialize">'],
  ["/home/bob/.netrc", "default login anonymous password ops@example.com"],
  ["settings.xml", "<!-- <server>\n  <password>repopwd</password>\n</server> -->"],
  ["compose.yml", `#   command: ["bash", "-c", 'redis-server --requirepass "$$REDIS_PASSWORD"']`],
  ["secret.yaml", "kind: Secret\nstringData:\n  mode: live\n  DB_PASSWORD: CHANGE_ME\n"],
  ["a.sh", "mysqldump -u app -p$PW app > /tmp/a.sql; echo -pPASSWORD"],
  ["/etc/nginx/a.conf", "fastcgi_pass shop_php;"],
  ["/etc/hostapd/hostapd.conf", "wpa_passphrase=a_very_secret_passphrase"],
  ["nagios.cfg", "command_line check_db --username $ARG3$ --password $ARG4$"],
  ["user-data", "#cloud-config\npassword_expires: true\nchpasswd: { expire: false }\n"],
  ["a.js", "const Prompt = { LOGIN: 'login', PASSWORD: 'password', username: 'username' };"],
  ["a.js", "const pattern = { token: '[a-zA-Z0-9!#$%&\\'*+-.^_`|~]+' };"],
  ["shop.env", "STRIPE_KEY=pk_live_51mcQbzEOkiQIVdvxzf1neHjDGjW68ZOdd\nPUSHER_APP_KEY=bcd1b6da0af0db84a1fd\n"],
];
test("values of real files that only look like secrets are left out", () => {
  for (const [path, text] of NOT_FOUND) assert.deepEqual(values(path, text), [], `${path}: ${text}`);
});

test("a private key in a joined literal is read whole", () => {
  const body = "MIIEpAIBAAKCAQEAp8bX73nQeYtLs0vWz5uAc4dJk392kdJ29dkJe02kdPq81bX7";
  const text = `return "-----BEGIN RSA PRIVATE KEY-----\\n".\n  "${body}\\n".\n  "${body}\\n".\n  "-----END RSA PRIVATE KEY-----";`;
  const [found] = scanText(text, { path: "Key.php" });
  assert.equal(found?.class, "private_key");
  assert.equal(found.reveal(), `-----BEGIN RSA PRIVATE KEY-----\n${body}\n${body}\n-----END RSA PRIVATE KEY-----\n`);
});
