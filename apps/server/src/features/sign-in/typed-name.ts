// Normalises a typed login that is not a local address, which a directory may know as a user name.

/**
 * Returns one spelling for all that a directory treats as the same name, so that guesses are counted together. Null for text that
 * cannot be a user name.
 */
export function typedName(typed: string): string | null {
  const name = typed.normalize("NFKC").toLowerCase();
  return /^[\p{L}\p{M}\p{N}._@+'-]{1,254}$/u.test(name) ? name : null;
}
