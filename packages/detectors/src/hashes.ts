// Recognises hashed passwords: crypt(3), LDAP, Django, Cisco, MySQL and others.

/** Prefixes and shapes that only hashed passwords have. */
const HASH =
  /^(?:\$argon2(?:id?|d)\$v=\d+\$m=\d+,t=\d+,p=\d+\$[^\s:'",;]{8,}|\$(?:1|5|6|md5|sha1|apr1|2[abxy]?|y|7(?=\$[^$\s]+\$)|gy|8|9(?=\$[^$]+\$)|14|P|H|S|argon2(?:id?|d)|scrypt|pbkdf2(?:-sha\d+)?|bcrypt-sha256|pbkdf2-sha512|7z|krb5\w+|PHPASS)\$[^\s:'",;]{8,}|\{(?:S?SHA|S?MD5|SSHA\d+|SHA\d+|CRYPT|PBKDF2[\w-]*|BCRYPT|ARGON2\w*|SMD5|X-PBKDF2|BLF-CRYPT|SHA512-CRYPT|SHA256-CRYPT|SSHA512\.HEX)\}\S{8,}|(?:pbkdf2|bcrypt|argon2|scrypt|pbkdf2_sha256|pbkdf2_sha1|bcrypt_sha256|sha1|md5|sha256|sha512|sha-256|sha-512)[$:](?:[^\s:$]*[$:]){0,4}[A-Za-z\d+/=._-]{12,}|grub\.pbkdf2\.sha512\.\d+\.[\dA-F.]+|SCRAM-SHA-(?:1|256)\$\d+:\S+|AQAAAA(?:EAACcQ|IAAYag)AAAAE[\w+/]{50,}={0,2}|\*[\dA-F]{40}|md5[\da-f]{32}|0x0?[\dA-F]{48,}|S:[\dA-F]{60}|CRYPT:[./\w]{13}|hash:[\da-f]{32})$/i;

export function isHash(value: string): boolean {
  return value.length >= 13 && HASH.test(value);
}

/**
 * Hexadecimal digests of the usual lengths, and SHA-256 in base64, in RabbitMQ with a salt: only a hash when the context
 * says so.
 */
export function isDigest(value: string): boolean {
  if (/^(?:[\w+/]{43}=|[\w+/]{48})$/.test(value)) return true;
  return /^(?:[\da-f]{32}|[\da-f]{40}|[\da-f]{56}|[\da-f]{64}|[\da-f]{96}|[\da-f]{128})$/i.test(value);
}
