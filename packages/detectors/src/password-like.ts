// Tells passwords from names, hosts, versions and dates where neither a name nor the syntax says what a word is.
import { judgeValue } from "./value.ts";

/** A word with digits or symbols, unless it is the name of a host, a version, a date or an address. */
export function isPasswordLike(value: string): boolean {
  if (value.length < 4 || value.length > 64 || judgeValue(value).kind !== "secret") return false;
  if (!/[A-Za-z]/.test(value) || !/[\d!@%^*+~$&(?]/.test(value)) return false;
  if (/^-|^\$\w+\W?$|\s|\\|\|{2}|\(.*\)|\[.*\]|\.\*/.test(value)) return false;
  // `web12` is a name, `ZfpLnOIfGeBmcNu9` is not.
  if (/^[A-Za-z]+[._-]?\d{1,3}$/.test(value) && !/[a-z][A-Z].*[a-z][A-Z].*[a-z][A-Z]/.test(value)) return false;
  if (
    /^[\w-]+(?:\.[\w-]+)+$|^[\d.:/-]+$|^\d{1,2}:\d\d|^\d{4}-\d\d|^[\w.+-]+@(?:localhost|[\w-]+\.[\w.-]+)$|^(?:[\da-f]{2}[:-]){5}[\da-f]{2}$/i.test(
      value,
    )
  )
    return false;
  return value.length >= 6;
}
