// Patterns of paths as `find -path` and `find -name` read them: `*` and `?` match slashes too.

/** Whether one of the patterns matches a path. A pattern without a slash matches the name alone. */
export function matcherOf(patterns: readonly string[]): (path: string) => boolean {
  const ofPaths = patterns.filter((pattern) => pattern.includes("/")).map(expressionOf);
  const ofNames = patterns.filter((pattern) => !pattern.includes("/")).map(expressionOf);
  return (path) => {
    const name = path.slice(path.lastIndexOf("/") + 1);
    return ofPaths.some((each) => each.test(path)) || ofNames.some((each) => each.test(name));
  };
}

function expressionOf(pattern: string): RegExp {
  // Several stars in a row match the same as one, and take exponentially longer.
  const parts = pattern.replaceAll(/\*+/g, "*").split(/([*?])/);
  const source = parts.map((part) => {
    if (part === "*") return ".*";
    if (part === "?") return ".";
    return part.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
  });
  return new RegExp(`^${source.join("")}$`, "su");
}
