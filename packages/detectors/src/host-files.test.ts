// Cases that files of hosts have: old values in comments, rows of dumps, commands with the password in an odd place, notes.
import assert from "node:assert/strict";
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { test } from "node:test";
import { scanText } from "./index.ts";
import { sshFingerprint } from "./private-keys.ts";

const values = (path: string, content: string | Buffer): string[] =>
  scanText(content, { path }).map((found) => found.reveal());

const FOUND: [path: string, text: string, value: string | string[]][] = [
  [
    "dump.sql",
    "-- Users\nINSERT INTO `admins` (`id`, `password`, `name`) VALUES\n('A1', 'Kiwi7_plum!', 'Ada'),\n('B2', '@kiwi-pLum84', 'Bob');",
    ["Kiwi7_plum!", "@kiwi-pLum84"],
  ],
  ["users.sql", "INSERT INTO users (User, Password) VALUES ('bob', MD5('plum-kiwi'));", "plum-kiwi"],
  ["roles.sql", "ALTER ROLE app WITH PASSWORD 'Plum''s Kiwi 2023';", "Plum''s Kiwi 2023"],
  ["map.bat", "net use J: /persistent:no /user:EI\\admin \\\\web2\\files Plumkiwi===", "Plumkiwi==="],
  ["map.bat", 'net use "\\\\10.0.4.2" /persistent:no /USER:eu\\scan  plumkiwi', "plumkiwi"],
  ["a.sh", "runmqakm -keydb -create -db key.kdb -pw plumdb21 -type cms", "plumdb21"],
  ["a.sh", "echo 'J0in-the-plum!' | realm join --user=svc_join EXAMPLE.ORG", "J0in-the-plum!"],
  [".zsh_history", ": 1706603333:0;doveadm auth test bob@example.org Plum:108", "Plum:108"],
  [".bash_history", "ldappasswd -x -D cn=admin,dc=example -W -s Neu-2024-plum uid=bob", "Neu-2024-plum"],
  ["a.env", "DB_PASSWORD=Kj8plum92\n#DB_PASSWORD=plum123\n", ["Kj8plum92", "plum123"]],
  ["/home/bob/.pgpass", "#10.0.16.9:5432:*:postgres:plumkiwi\n", "plumkiwi"],
  ["/etc/pgbouncer/userlist.txt", ';;"app_stg" "plum-staging"\n', "plum-staging"],
  ["/etc/cron.d/backup", "# 0 3 * * *  root  RSYNC_PASSWORD=plumkiwi rsync -a /srv/ b@nas::srv\n", "plumkiwi"],
  ["a.env", "RESTIC_PASSWORD='correct plum battery 3 kiwi'", "correct plum battery 3 kiwi"],
  ["sip.conf", "[101]\nsecret=0001\n", "0001"],
  ["/etc/kafka/jaas.conf", 'PlainLoginModule required\n  user_admin="admin-secret";', "admin-secret"],
  ["realm.json", '{"credentials":[{"type":"password","value":"Plum.Kiwi8"}]}', "Plum.Kiwi8"],
  [
    "a.tfstate",
    '{"type": "random_password", "instances": [{"attributes": {"result": "4AWpq@HOVz:77"}}]}',
    "4AWpq@HOVz:77",
  ],
  [
    "/etc/redis/redis.conf",
    "user metrics on #2e4a61415e77d66fddd6255ae191c2504107adfaeff972a22fbe91650e024699 ~* +info",
    "2e4a61415e77d66fddd6255ae191c2504107adfaeff972a22fbe91650e024699",
  ],
  ["jetty-realm.properties", "admin: CRYPT:ad0hk.o8FHSQQ, admin", "CRYPT:ad0hk.o8FHSQQ"],
  [
    "init.txt",
    "Recovery Key 1: Z2q17sY0SgnWkFMYb0Pa+QSzRHL3Oocvl3afu7sK642s",
    "Z2q17sY0SgnWkFMYb0Pa+QSzRHL3Oocvl3afu7sK642s",
  ],
  ["init.txt", "secret_id    89c830cc-d691-46da-bc30-8620e7c7bfc5", "89c830cc-d691-46da-bc30-8620e7c7bfc5"],
  [
    "notes.md",
    "| **root пароль** | `qmRvkWT7Z3hL` |\n| **VPN** | `bob` / `Plum2016x` |",
    ["qmRvkWT7Z3hL", "Plum2016x"],
  ],
  ["notes.md", "iDRAC kvm01: root / calvin\nPrinter: user Admin, password Admin\n", ["calvin", "Admin"]],
  ["notes.md", "environment:\n  MYSQL_PASSWORD: 0417\n", "0417"],
  ["notes.md", "```bash\ndocker run -e MYSQL_ROOT_PASSWORD=plum -d mysql\n```\n", "plum"],
  ["notes.md", "net use Z: \\\\nas\\share /user:bob 739214 /persistent:no", "739214"],
  ["notes.md", "/ppp secret add name=c1 password=plum5 service=l2tp", "plum5"],
  ["/home/bob/docs/hosts.md", "```\nusername net privilege 15 password 0 plumkiwi\n```\n", "plumkiwi"],
  ["notes.md", "| Host | Логин | Пароль |\n|---|---|---|\n| db1 | elastic | wq+tm47K*B2n |\n", "wq+tm47K*B2n"],
  ["notes.md", "账号：root\n密码：2019plum@kiwi\n", "2019plum@kiwi"],
  ["notes.txt", "identifiants : root / plumkiwi", "plumkiwi"],
  ["backup.cmd", "C:\\tools\\7za.exe a Z:\\a.7z Y:\\* -r -pPlum2715 -mhe", "Plum2715"],
  ["backup.bat", 'expressmaint -S (local)\\I4 -U sa -P 7316! -D ALL_USER -R "e:\\tmp"', "7316!"],
  ["Jenkinsfile", "sh 'docker login -u admin -p plumkiwi registry.example.org'", "plumkiwi"],
  [".bash_history", "(echo Plum1kiwi; echo Plum1kiwi) | smbpasswd -s -a bob", ["Plum1kiwi", "Plum1kiwi"]],
  [".bash_history", "radtest bob Plum1kiwi localhost 0 testing123", ["Plum1kiwi", "testing123"]],
  ["upload.sh", "ftp -n $HOST <<EOF\nuser $USER Fr4nk1n&Co\nEOF\n", "Fr4nk1n&Co"],
  ["a.mqsc", "DEFINE AUTHINFO(LDAP) LDAPPWD('mqm#Plum#18')", "mqm#Plum#18"],
  ["ps.txt", "app 2211 java -jar a.jar --jasypt.encryptor.password=Jasypt!Plum", "Jasypt!Plum"],
  ["consul.hcl", 'initial_management = "6db11849-6607-4b84-b8e5-060a4f6b72f5"', "6db11849-6607-4b84-b8e5-060a4f6b72f5"],
  ["a.env", "RESTIC_PASSWORD='three plums near kiwis'", "three plums near kiwis"],
  ["a.sh", "ecomscan -k Rhw4kVVbYtD2X8nLs --report /srv/www", "Rhw4kVVbYtD2X8nLs"],
  ["a.ps1", '$conn = "Server=sql01;User Id=app;Password=Plum&Kiwi_08;Encrypt=True"', "Plum&Kiwi_08"],
  ["/root/.mysql_history", "CREATE\\040USER\\040'app'\\040IDENTIFIED\\040BY\\040'plum-kiwi-7';", "plum-kiwi-7"],
  [
    "users.sql",
    "CREATE USER 'a'@'%' IDENTIFIED VIA mysql_native_password USING '*4FCC5BF7579925003F7D06521CC21246094FFC32';",
    "*4FCC5BF7579925003F7D06521CC21246094FFC32",
  ],
  ["/etc/fstab", "//10.60.4.18/plum  /mnt/plum  cifs  user=scan,pass=plumkiwi,vers=1.0  0 0", "plumkiwi"],
  ["/etc/fstab", "//nas/cad /mnt/cad cifs user=cad%plum14,noauto 0 0", "plum14"],
  ["/etc/asterisk/sip.conf", ";register => 7495:P4nVKTC8:3983@sip.example.org/7495", "P4nVKTC8"],
  ["nginx.conf", 'secure_link_md5 "$secure_link_expires$uri plumPdf2020";', "plumPdf2020"],
  [
    "ddns.sh",
    "nsupdate -y ddns.example.org.:0na7wbMBQZmwB7cAoKDSIjG8MBm2sD4vQBxc5aO2Au9k==",
    "0na7wbMBQZmwB7cAoKDSIjG8MBm2sD4vQBxc5aO2Au9k==",
  ],
  ["/etc/tac_plus.conf", "\tlogin = des qW8YAnoe8It1K", "qW8YAnoe8It1K"],
  ["user-data.txt", "#cloud-config\nchpasswd:\n  list: |\n    ubuntu:plum2204!\n    bob:RANDOM\n", "plum2204!"],
  ["kassa.ini", "wachtwoord = 8821", "8821"],
  ["app.ini", "salasana = Plum92kiwi", "Plum92kiwi"],
  [".bash_history", "hdbuserstore SET DEFAULT db01:30015 SAPDB 'Plum_VP1#23'", "Plum_VP1#23"],
  [".bash_history", "mosquitto_sub -h mqtt -p 8883 -u board -P pl4mk1wi -t '#'", "pl4mk1wi"],
  ["/var/log/freeradius/radius.log", "Auth: (171) Login OK: [bob@example/2UO1TNlVEZ] (from client a)", "2UO1TNlVEZ"],
  ["radius.sql", "(1,'bob@example','Cleartext-Password',':=','Plumkiwi77'),", "Plumkiwi77"],
  [
    "wp.sql",
    "(3,'max','$wp$2y$10$pst0yIlpZVE10Q.CfUGiu.oiclOGOLkeXl6kWVeSjBauezhq/73Wc','a');",
    "$wp$2y$10$pst0yIlpZVE10Q.CfUGiu.oiclOGOLkeXl6kWVeSjBauezhq/73Wc",
  ],
  ["telegraf.conf", 'servers = ["telegraf:tele@plum1@tcp(10.77.2.20:3306)/"]', "tele@plum1"],
  ["fed.sql", "OPTIONS (REMOTE_AUTHID 'A', REMOTE_PASSWORD 'Plum*Link7');", "Plum*Link7"],
  ["a.sh", "php occ config:system:set mail_smtppassword --value='cloud-Mail 09'", "cloud-Mail 09"],
  [
    "/opt/iib/setdbparms.sh",
    "mqsisetdbparms NODE1 -n ldap::LDAP -u 'cn=app,dc=example' -p 'Lotse=voraus'",
    "Lotse=voraus",
  ],
  [
    ".bash_history",
    'db2 "create server s authorization \\"fed\\" password \\"plum123\\" options (a \'B\')"',
    "plum123",
  ],
  [".bash_history", "curl -k -u admin:1234 http://10.20.5.40/config", "1234"],
  ["/etc/tomcat/context.xml", '<Environment name="edi/keystorePassword" value="plum-kiwi-7"/>', "plum-kiwi-7"],
  ["/etc/postfix/sasl_passwd", "relay.example.org\tbob@example.org:paper lamp river seven\n", "paper lamp river seven"],
  [
    "/etc/postgresql/pg_hba.conf",
    'hostssl all all 10.7.20.0/24 radius radiussecrets="iQwOqGIiiditL16g"',
    "iQwOqGIiiditL16g",
  ],
  ["postgresql.auto.conf", "primary_conninfo = 'user=repl password=''repl:plum:2'' host=pg1'", "repl:plum:2"],
  ["seed.sql", "INSERT INTO settings VALUES\n(1, 'a', 'b'),\n(2, 'smtp_password', 'Plum;kiwi77');\n", "Plum;kiwi77"],
  ["/opt/activemq/conf/users.properties", "reefer=it's cold inside\n", "it's cold inside"],
  ["/etc/asterisk/voicemail.conf", "[default]\n102 => 4711,Housekeeping,hk@example.org\n", "4711"],
  ["/etc/openldap/slapd.conf", 'syncrepl rid=1\n\tcredentials="replica; plum 12" retry="60 +"\n', "replica; plum 12"],
  ["/root/.msmtprc", "account a\npassword       aood owbp itxr epll\n", "aood owbp itxr epll"],
  [
    "/etc/rsyncd.secrets",
    "radar:Föhn über alles\nmet-a:met:A:rsync\n#met-b:metB2017\n",
    ["Föhn über alles", "met:A:rsync", "metB2017"],
  ],
  ["/home/bob/.netrc", "#machine ftp.example.org login bob password metop-B!\n", "metop-B!"],
  [
    "/etc/bind/named.conf",
    '// key "old" { algorithm hmac-md5; secret "+IULvyXrIQ7X0y4/0SIK8g=="; };',
    "+IULvyXrIQ7X0y4/0SIK8g==",
  ],
  ["/etc/cloud/cloud.cfg.d/99_a.cfg", "chpasswd:\n  list: |\n    root:Plum.srv2.2020\n", "Plum.srv2.2020"],
  [
    "user-data",
    "#cloud-config\nwrite_files:\n- path: /etc/a.conf\n  content: |\n    password jy1euf636i8q\n",
    "jy1euf636i8q",
  ],
  [
    "wp-config.php",
    "define('LOGGED_IN_SALT', 'rW%2kiynBx+=aITbqdr%NGRQ3rUDEeaC1joXTao=PlXs4jXF*sB8ojk-2D7Tm*%s');",
    "rW%2kiynBx+=aITbqdr%NGRQ3rUDEeaC1joXTao=PlXs4jXF*sB8ojk-2D7Tm*%s",
  ],
  ["zugang.txt", 'WLAN "Büro"      Schlüssel: 98234716550127734911\n', "98234716550127734911"],
  ["app.ini", "пароль = Plum92kiwi\nhasło = Plum93kiwi\n", ["Plum92kiwi", "Plum93kiwi"]],
  ["/opt/wowza/conf/publish.password", "# name password\nencoder-a rAQ6tnw70V0E\n", "rAQ6tnw70V0E"],
  ["handover.txt", "Terminal mit bob / Sendung!24h (Domain A).", "Sendung!24h"],
  ["acces.txt", "user Administrator / mdp H9RT-4KQ2\nSSID GUESTS clé juin-plum-42\n", ["H9RT-4KQ2", "juin-plum-42"]],
  ["a.sh", "lftp -u bob,3381plum ftp.example.org", "3381plum"],
  [".bash_history", "steamcmd +login bob Plum_88kiwi +quit", "Plum_88kiwi"],
  [".bash_history", "xcrun altool --upload-app -u ci@example.org -p omkv-uwlz-ffip-emxn", "omkv-uwlz-ffip-emxn"],
  [
    ".bash_history",
    "vault operator unseal qbmuk6yf0BLOSbg45IMzljzjTZIKJMPqWIK5KoOJ9oiM",
    "qbmuk6yf0BLOSbg45IMzljzjTZIKJMPqWIK5KoOJ9oiM",
  ],
  [".bash_history", 'dgmgrl sys/Or4cle_Sys#2023@PRD "show configuration"', "Or4cle_Sys#2023"],
  [".bash_history", 'sqlplus -s /nolog <<< "conn bob/Plum2024kiwi@prd"', "Plum2024kiwi"],
  ["a.sql", "update sys_parameter set value = 'Kiwiversand!' where name = 'FAX_PASSWORD';", "Kiwiversand!"],
  [
    "a.sql",
    "insert into api_keys (owner, key_hash) values ('bot', digest('efk_ejV1pUe9CALJeBJu','sha256'));",
    "efk_ejV1pUe9CALJeBJu",
  ],
  ["ext.prm", "USERID gg@PRD, PASSWORD Gg_4dm1n_Plum", "Gg_4dm1n_Plum"],
  ["/etc/snmp/snmpd.conf", "trapsess -v 2c -c traps4plum 10.71.0.30\n", "traps4plum"],
  ["/etc/freeradius/clients.conf", "client a {\n\tsecret = 'Tor zum Plum: 1887'\n}\n", "Tor zum Plum: 1887"],
  [
    "settings.xml",
    "<settings><passphrase>lange Gabel kurze Pflaume</passphrase></settings>",
    "lange Gabel kurze Pflaume",
  ],
  ["settings.js", 'module.exports = {\n  credentialSecret: "Fernwirk-Plum-2020",\n}', "Fernwirk-Plum-2020"],
  ["bot.env", "DEEPL_AUTH_KEY=c7111600-8b28-4d3f-a6e5-b78724f0584f:fx", "c7111600-8b28-4d3f-a6e5-b78724f0584f:fx"],
  [
    "/etc/ntp/keys",
    "1 M ll4pgXXQ2wuLcsO0d1r\n3 SHA1 3d6708fe463a1a95d61c60c8ed7328122df08b49\n",
    ["ll4pgXXQ2wuLcsO0d1r", "3d6708fe463a1a95d61c60c8ed7328122df08b49"],
  ],
  ["/opt/spark/conf/spark-defaults.conf", "spark.ssl.keyStorePassword         changeit\n", "changeit"],
  [".bash_history", "ldapsearch -x -D dc=st-wendel -w Ldap,Plum7 -b dc=st-wendel,dc=example", "Ldap,Plum7"],
  [
    ".bash_history",
    'hdbuserstore SET KEY db1:30213 BACKUP "Nachts um 3 laeuft das Band"',
    "Nachts um 3 laeuft das Band",
  ],
  [
    ".bash_history",
    "snmpget -v3 -a SHA -x AES -X Privat3Klic -A Auth3Klic -u nms udp:10.61.9.33:161",
    ["Privat3Klic", "Auth3Klic"],
  ],
  [".bash_history", "mkstore -wrl /u01/wallet -modifyCredential AODB exp_user 'nQhthYbJGQZ#4'", "nQhthYbJGQZ#4"],
  [".bash_history", "mc admin user add store spark-test plumtest123", "plumtest123"],
  [".bash_history", "swaks --server mail.example.org -au bob@example.org -ap 'Avisos:2020:Plum'", "Avisos:2020:Plum"],
  [".bash_history", 'echo "bob:Kreide:Tafel:3" | chpasswd', "Kreide:Tafel:3"],
  ["sicherung.sh", "echo 'nas@Plum7' | sshfs -o password_stdin bob@192.168.40.9:/volume1 /mnt/nas", "nas@Plum7"],
  ["sonar.yml", "SONAR_WEB_SYSTEMPASSCODE: GeqomxwyJ5pWbHan", "GeqomxwyJ5pWbHan"],
  [
    "notizen.txt",
    'Glocken 192.168.30.44, user "bob", pw "Ding Dong 6 Uhr"\nWLAN Lehrer:     Plumzimmer-Kaffee-2\n',
    ["Ding Dong 6 Uhr", "Plumzimmer-Kaffee-2"],
  ],
  ["traspaso.md", "- usuario `admin`, contraseña `Laurel&Plum22`\n", "Laurel&Plum22"],
  [
    "jupyter.json",
    '{"hashed_password": "argon2:$argon2id$v=19$m=10240,t=10,p=8$IesIz60LzyVObAVrX8p4Zg$4BKquEkjACd-odPeA7w7P9jH0HB4Gzgk-QdOw-6jTUI"}',
    "$argon2id$v=19$m=10240,t=10,p=8$IesIz60LzyVObAVrX8p4Zg$4BKquEkjACd-odPeA7w7P9jH0HB4Gzgk-QdOw-6jTUI",
  ],
  ["telegraf.conf", 'password = "metricsmetricsmetricsmetrics"', "metricsmetricsmetricsmetrics"],
  [
    "/var/backups/smbpasswd.export",
    "bob:1101:4CF7FAA2B571FC60A861D66839E7A247:BC0F969B718C9C9FDEA384D741654E21:[U ]:LCT-5A0C1B22:\n",
    ["4CF7FAA2B571FC60A861D66839E7A247", "BC0F969B718C9C9FDEA384D741654E21"],
  ],
  [
    "/etc/snmp/snmpd.conf",
    "trapsess -v 3 -u plum -l authPriv -a SHA -A Trap.4uth -x AES -X Trap.Pr1v 10.60.5.10:162\n",
    ["Trap.4uth", "Trap.Pr1v"],
  ],
  [
    "/var/solr/data/security.json",
    '{"credentials": {"solr": "mmWCFd6GhWqCQZbwDK6VSAK9uISnz5Dn/vS1AOxVABk= d+1So5ACxafZsTAlY5CXGqG/waloqS3MsW+/c1KwDOk="}}',
    "mmWCFd6GhWqCQZbwDK6VSAK9uISnz5Dn/vS1AOxVABk= d+1So5ACxafZsTAlY5CXGqG/waloqS3MsW+/c1KwDOk=",
  ],
  [".bash_history", "ipa-client-install --unattended -p admin -w 'Plum!Admin42' --mkhomedir", "Plum!Admin42"],
  [
    ".bash_history",
    'curl -H "Authorization: Bearer 72|zzFdjauhmbRjtlamOOCAIobXrAjy1vdWkypRDMqM" https://a.example.org',
    "72|zzFdjauhmbRjtlamOOCAIobXrAjy1vdWkypRDMqM",
  ],
  ["/opt/was/soap.client.props", "com.ibm.SOAP.loginPassword={xor}CDtnci4LLWptcRc+OTox\n", "Wd8-qTr52.Hafen"],
  [
    "security.xml",
    '<authDataEntries userId="app" password="{xor}ERMdcjsoN3Jtb21sci06Pjs=" description=""/>',
    "NLB-dwh-2023-read",
  ],
  ["orthanc.json", '{"RegisteredUsers" : {\n  "orthanc" : "orthanc"\n}}', "orthanc"],
];
test("secrets of files of hosts are found", () => {
  for (const [path, text, value] of FOUND) assert.deepEqual(values(path, text), [value].flat(), `${path}: ${text}`);
});

const NOT_FOUND: [path: string, text: string][] = [
  ["/etc/freeradius/clients.conf", "#\tsecret = testing123\n"],
  ["/etc/grafana/grafana.ini", ";secret_key = SW2YcwTIb9zpOOhoPsMm"],
  ["/etc/hostapd/hostapd.conf", "#wpa_psk=0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"],
  ["/etc/icinga2/users.conf", 'object ApiUser "dashing" {\n  password = DashingPassword\n}'],
  ["/etc/splunk/server.conf", "pass4SymmKey = $7$umHfnPrFqudUIwnC40pRwmnF/HPvaNG1fjxD0isgD6mzlB5SmDyO2OyXV0U="],
  ["common.yaml", "web::session_secret: DEC::PKCS7[]!"],
  ["deployment.yaml", "    checksum/secret: cd826e585d63561717d8341af747842050cdb6617277cdc64c8949f803393fd5"],
  [
    "secrets.enc.yaml",
    "  admin-password: ENC[AES256_GCM,data:U6er9wBrXycdq0zTNbNVde4E,iv:IYaRbQHVEADvMVeOgd5Ztzg5ZbXanflUnjukZ264Sw0=,type:str]",
  ],
  ["mailer.service", "Environment=DKIM_PRIVATE_KEY=%d/dkim.key"],
  ["director.conf", "Password = @/etc/bareos/console-admin.pw"],
  ["users.sql", 'CREATE USER zbx_mon IDENTIFIED BY "&&zbx_password";'],
  ["a.sh", "keytool -list -keystore $store -storepass:env KSPASS"],
  [".gitlab-ci.yml", "- docker build --secret id=auth,src=$COMPOSER_AUTH_FILE ."],
  ["/etc/security/pwquality.conf", "badwords = town hall passwort password kennwort"],
  ["/etc/radius/dictionary", "ATTRIBUTE\tCrypt-Password\t1006\tstring"],
  ["iso3166.tab", "PT\tPortugal\nPW\tPalau\n"],
  ["a.vim", "syn keyword netrcPassword password nextgroup=netrcValue"],
  ["/etc/fail2ban/jail.local", "failregex = ^login failed\n            password mismatch.*rip=<HOST>"],
  ["server.conf", 'plugin auth-pam.so "openvpn login USERNAME password PASSWORD"'],
  ["notes.md", "net use Z: \\\\nas\\share /user:username password"],
  ["/etc/tac_plus.conf", "# This is the key that clients use"],
  ["/var/log/samba/log.smbd", "  check_ntlm_password:  Authentication for user [bob] -> [bob] FAILED"],
  ["/root/.mysql_history", "update\\040users\\040set\\040password=encrypt(new.plum)"],
  ["users.csv", "id,password\n5,!tDLa94n6zSdihh65OpCswigwoG6tyTAeoFZNe60w\n"],
  ["secret.yaml", 'kind: Secret\nstringData:\n  STRIPE_PUBLISHABLE_KEY: "pk_live_1d3oH0J948mc2XjjCBQNlcHL"\n'],
  ["airflow.cfg", "# result_backend = db+postgresql://postgres:airflow@postgres/airflow"],
  ["global.ini", "[password policy]\nminimal_password_length = 12\n"],
  ["/etc/dovecot/users", "# user:password:uid:gid:(gecos):home:(shell):extra_fields"],
  ["/var/log/auth.log", "sudo: bob : TTY=pts/0 ; COMMAND=/usr/bin/passwd vp1adm"],
  ["secrets.yaml", "http_trusted: 192.168.20.0/24"],
  ["cloudflare.ini", '# "dns_cloudflare_api_token = 0123456789abcdef0123456789abcdef01234567"'],
  ["notes.txt", "NAS: admin / Passwort siehe KeePass"],
  ["secrets.yaml", "admin_password: !env_var DEFAULT_PASSWORD\napi_key: 8______________0:A_____________M"],
  ["busd.xml", "<oauth2RefreshTokenEncrypted>GbOcNuFkX89/Wzbv3qFL5VUaCiFU4XgIbJq6AX5N</oauth2RefreshTokenEncrypted>"],
  ["/home/bob/.bashrc", "alias genpw='openssl rand -base64 18'\n"],
  ["/etc/sudoers.d/ops", "hans ALL=(root) NOPASSWD: KEYS, TOKENS\n"],
  ["/etc/telegraf/telegraf.conf", '# password = "metricsmetricsmetricsmetrics"'],
  ["/etc/openldap/slapd.conf", "syncrepl rid=1\n  credentials=##CREDENTIALS##\n"],
  ["app.properties", "server.ssl.key-password=${server.ssl.key-store-password}\n"],
  ["relay.service", "LoadCredentialEncrypted=passphrase:/etc/credstore.encrypted/relay-%i.cred"],
  ["groups.ldif", "description: Replikation, darf userPassword lesen"],
  ["job.properties", "FTP_Password=enc\\:routine.encryption.key.v1\\:mXshdZsnGWCKK8GasWhyiMGB5tFh05ZAdn6GaSFkT02j"],
  ["messages_de.properties", "admin.apikey=API-Schl\\u00fcssel"],
  ["/etc/davfs2/secrets", "https://dav.example.org bob\n\n# Proxy server\n"],
  [".bash_history", "keytool -importcert -alias plum-ca -file ca.crt -keystore trust.jks"],
  ["parameters.yml", "oauth_client_secret: '%env(OAUTH_CLIENT_SECRET)%'"],
  ["httpd.conf", 'AuthLDAPBindPassword "exec:/usr/local/bin/ldap-password"'],
  [
    "secret.yaml",
    "apiVersion: v1\nkind: Secret\nmetadata:\n  uid: 988db1de-7745-4bfc-a520-f880499e013d\ndata:\n  REGION: ZXUtY2VudHJhbA==\n",
  ],
  ["values.yaml", "certificatesSecret: pg-plum-tls"],
  [".gitconfig", "[user]\n\tsigningkey = 7C1D93A2E5B0446F\n"],
  [".bash_history", "vault kv put kv/app redis_password=@redis.txt"],
  ["hash.go", 'return "$argon2id$v=19$m=65536,t=3,p=4$" + encode(salt)'],
  ["setup.opsiscript", 'net user Administrator "$AdminPass$"\nsetup.exe /S /password=$VncPass$ /log=C:\\vnc.log'],
  ["/etc/shadow", "bob:!:16021:0:99999:7:::\n"],
  ["/home/bob/.cloginrc", "add user  10.71.0.1?  etage\n"],
  ["/etc/ssl/openssl.cnf", "secret = # disable PBM\n"],
  [
    "/etc/dovecot/conf.d/10-auth.conf",
    "#default\n# Password database verifies the user's password (and nothing more).\n",
  ],
  ["/etc/redis/redis.conf", "user default on nopass ~public:* +get\n"],
  ["db.example.org", '@ IN TXT  "domain-verification-token=547df101e83f1dd6f011effe31b73f63"'],
  ["prosody.cfg.lua", '--sql = { driver = "MySQL", username = "prosody", password = "secret" }'],
  ["/root/.bash_history.bak", "passwd polderb\n"],
  ["whm.txt", "whmapi1 passwd user=bob password=NIEUW_WACHTWOORD"],
  ["Controller.php", "'password' => 'required|min:12|confirmed',"],
  ["/etc/telegraf/telegraf.conf", '# password = "pa$$word"'],
  ["/etc/asterisk/pjsip.conf", "[global]\nuser_agent=tl-pbx1\n"],
  ["/var/log/tac_plus.log", "skipping key 'expires' of user bob, password never expires"],
  ["terraform.tfvars", 'runner_token_secret = "ci/runner"'],
  ["values.yaml", "nginx.ingress.kubernetes.io/auth-secret: portal-basic-auth"],
  ["build.log", "WARNING! Using --password via the CLI is insecure."],
  ["release.sh", "SIGN_KEY=releases@plum.example.org\n"],
  ["/etc/hostapd/hostapd.conf", "#wep_key0=123456789a"],
  ["ddclient.conf", "password=/etc/ddclient/Kplum.+165+44121.key"],
  [
    "settings.js",
    '    //httpNodeAuth: {user:"user",pass:"$2a$08$zZWtXTja0fB1pzD4sHCMyOCMYz2Z6dNbM6tl8sJogENOMcxWV9DN."},',
  ],
  ["snippet/storefront.de-DE.json", '{"apiKey": "API-Schlüssel", "ediPassword": "EDI-Kennwort"}'],
  ["vector.toml", 'auth = { user = "elastic", password = "SECRET[local.elastic_password]" }'],
  ["httpd.conf", 'AuthLDAPBindPassword "exec:/bin/cat /root/.secrets/ldap"'],
  ["qm.ini", "KeyRepositoryPasswordStash=/var/mqm/qmgrs/QMNLB01/ssl/key.sth"],
  [".zsh_history", "redis-cli -h 10.44.2.20 --askpass ping"],
  ["local.cfg", "google.recaptcha.key.site = 6LMJ9LroME4mpkkt_4nM1rIeOTRjhzlBvs8gaONa"],
  ["nextflow.config", "secret = 'BASESPACE_ACCESS_TOKEN'"],
  ["security.xml", '<userRegistries serverPassword="{xor}" bindPassword="{aes}ARsTdXbf0JzJ1lC1n2mK"/>'],
  ["config.inc.php", "$config['password_ldap_adminDN'] = 'cn=admin,dc=example,dc=org';"],
];
test("values of files of hosts that only look like secrets are left out", () => {
  for (const [path, text] of NOT_FOUND) assert.deepEqual(values(path, text), [], `${path}: ${text}`);
});

test("bytes and strings have the same findings", () => {
  for (const [path, text] of [...FOUND, ...NOT_FOUND])
    assert.deepEqual(values(path, Buffer.from(text)), values(path, text), `${path}: ${text}`);
});

test("the identifier of an access key is found only without the key", () => {
  const id = ["AKIA", "Q7XHVB2KJZNM4PWD"].join("");
  const key = "wq8tJm47KsB2nXv91cZhYpL5rGd3FaTe6UoIbMxN";
  assert.deepEqual(values("credentials", `aws_access_key_id = ${id}\n`), [id]);
  const both = `aws_access_key_id = ${id}\naws_secret_access_key = ${key}\n`;
  assert.deepEqual(values("credentials", both), [key]);
});

test("a key of PuTTY is found with the fingerprint of its public key", () => {
  const { publicKey } = generateKeyPairSync("ed25519");
  const point = publicKey.export({ format: "der", type: "spki" }).subarray(-32);
  const field = (bytes: Buffer) => Buffer.concat([Buffer.from([0, 0, 0, bytes.length]), bytes]);
  const wire = Buffer.concat([field(Buffer.from("ssh-ed25519")), field(point)]);
  const file = (encryption: string) =>
    [
      "PuTTY-User-Key-File-3: ssh-ed25519",
      `Encryption: ${encryption}`,
      "Comment: bob@example.org",
      "Public-Lines: 2",
      ...(wire.toString("base64").match(/.{1,64}/g) ?? []),
      ...(encryption === "none"
        ? []
        : ["Key-Derivation: Argon2id", "Argon2-Memory: 8192", `Argon2-Salt: ${"0a".repeat(16)}`]),
      "Private-Lines: 1",
      randomBytes(36).toString("base64"),
      `Private-MAC: ${randomBytes(32).toString("hex")}`,
      "",
    ].join("\r\n");
  for (const encryption of ["none", "aes256-cbc"]) {
    const [found, ...others] = scanText(file(encryption), { path: "id.ppk" });
    assert.deepEqual([found?.class, found?.type, others.length], ["private_key", "ssh_key", 0]);
    assert.equal(found!.publicKey, sshFingerprint(publicKey));
    assert.equal(found!.confidence, encryption === "none" ? 1 : 0.7);
    assert.equal(found!.preview, "PuTTY-User-Key-File-3: ssh-ed25519");
  }
});

test("a shared key of OpenVPN is found", () => {
  const lines = Array.from({ length: 16 }, () => randomBytes(16).toString("hex"));
  const key = `-----BEGIN OpenVPN Static key V1-----\n${lines.join("\n")}\n-----END OpenVPN Static key V1-----`;
  const [found, ...others] = scanText(`dev tun\n<tls-crypt>\n${key}\n</tls-crypt>\n`, { path: "client.conf" });
  assert.deepEqual([found?.class, found?.reveal(), others.length], ["private_key", key, 0]);
});
