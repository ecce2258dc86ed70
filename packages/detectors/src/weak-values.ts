// Passwords that everybody tries first, and shipped defaults.

const WEAK = new Set(
  (
    "testing123 testing123-1 testing123-2 testing1234 rootpw repopwd senha contraseña motdepasse wachtwoord password passwd pass passw0rd p@ssw0rd p@ssword pa$$word pa$$w0rd pa55word passwort admin administrator adminadmin admin123 admin1234 admin12345 root toor rootroot secret secret123 " +
    "changeme change_me change-me changethis change_this change-this changeit change_it please_change_me please-change-me pleasechangeme replaceme replace_me " +
    "letmein welcome welcome1 welcome123 qwerty qwerty123 qwertyuiop asdf asdfgh abc123 abcd1234 abc12345 iloveyou monkey dragon master superuser sa test test123 test1234 testing tester testpass testpassword " +
    "guest user user123 demo demo123 default manager tomcat s3cret s3cr3t oracle postgres mysql mariadb redis mongodb mongo rabbitmq elastic elasticsearch kibana logstash grafana zabbix nagios jenkins sonar nexus gitlab " +
    "minio minioadmin minio123 ansible vagrant docker ubuntu debian centos pi raspberry cisco ubnt calvin support service supersecret supersecretpassword topsecret mypassword mypass mysecretpassword mysecret mysecretkey my-secret-pw " +
    "verysecret verysecretpassword secretpassword secretkey notsecret insecure foobar foobarbaz hunter2 temp temporary tmp pass123 pass1234 password1 password12 password123 password1234 password12345 password! " +
    "password1! passw0rd! p@ssw0rd! p@ssw0rd1 p@ssw0rd123 apc r00tme r00tm3 123 0000 1111 1234 12345 123456 1234567 12345678 123456789 1234567890 123123 111111 000000 654321 987654321 123456789a public private community keycloak airflow hadoop hive spark " +
    "cassandra neo4j couchbase influxdb activemq artemis wildfly jboss weblogic websphere glassfish sapassword dbpassword dbpass rootpassword rootpass adminpassword adminpass userpassword userpass postgrespassword mysqlpassword xampp sw2ycwtib9zpoohopsmm wordpress drupal joomla magento nextcloud owncloud odoo moodle dev develop development staging prod production local localhost"
  ).split(" "),
);
WEAK.add("keyboard cat");

/** Compares without case. */
export const isWeak = (value: string): boolean => WEAK.has(value.toLowerCase());
