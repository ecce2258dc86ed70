// What somebody typed to say who they are, when it is no address of ours: a directory may know it as a user name.

/**
 * One spelling for all that a directory takes for the same name, so that guesses are counted together. Null for what no
 * user name looks like.
 */
export function typedName(typed: string): string | null {
  const name = typed.normalize("NFKC").toLowerCase();
  return /^[\p{L}\p{M}\p{N}._@+'-]{1,254}$/u.test(name) ? name : null;
}
