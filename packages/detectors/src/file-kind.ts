// What the path says about how much a file's values mean: samples, translations and generated files have few secrets.

export interface FileKind {
  /** `.env.example`, documentation, test data: values of words are placeholders there. */
  isSample: boolean;
  /** Translations: "Password" is a label. */
  isTranslation: boolean;
  /** Lock files and minified code: only exact shapes count. */
  isGenerated: boolean;
  /** Settings in a programming language, such as wp-config.php and settings.py: literals are values as in other settings. */
  isSettings: boolean;
}

const SAMPLE =
  /[._-](?:example|sample|dist|template|tmpl|tpl|default|defaults|skel)s?(?:[._-]\w+)*$|(?:^|\/)(?:examples?|samples?|fixtures?|testdata|test-data|tests?|specs?|__tests__|mocks?|__mocks__|docs?|doc-base|man|templates?|skel)\/|(?:^|[/._-])(?:test|spec|mock)s?\.\w+$|(?:^|\/)(?:readme|changelog|contributing)\b/i;
const TRANSLATION =
  /(?:^|\/)(?:locales?|i18n|l10n|lang|langs|languages?|translations?|nls|intl|LC_MESSAGES|values-[a-z]{2}[\w-]*)\/|(?:^|\/)(?:messages?|strings|labels|texts|translations?)(?:[._-][a-z]{2}(?:[_-][A-Za-z]{2})?)?\.(?:properties|json|ya?ml|xml|strings|php|js|ts)$|\.[a-z]{2}-[A-Z]{2}\.json$|\.(?:po|pot|arb|xliff|xlf|resx|strings|lng|ftl|mo)$|(?:^|\/)[a-z]{2}(?:[_-][A-Z]{2})\.(?:json|ya?ml|js|ts|php|properties)$/;
const GENERATED =
  /(?:^|\/)(?:\.?package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|composer\.lock|poetry\.lock|Pipfile\.lock|uv\.lock|Cargo\.lock|Gemfile\.lock|go\.sum|flake\.lock|mix\.lock|pubspec\.lock|Podfile\.lock|bun\.lock|\.terraform\.lock\.hcl|packages\.lock\.json)$|\.(?:min\.\w+|map|d\.ts|bundle\.js|chunk\.js|svg|css|scss|less|woff2?|ttf|eot|pot?|sum)$/i;

const SETTINGS =
  /(?:^|\/)etc\/(?:[\w.-]+\/){0,6}[\w.-]+\.(?:php|inc|py|lua|rb|p[lm]|js|mk|exs)$|(?:^|[/._-])(?:config(?:uration)?|conf|cfg|settings|parameters|env|secrets?|[a-z]*config|[a-z]*settings)(?:[._-](?:prod(?:uction)?|local|inc|site|dev|staging|default|secret))?\.(?:php|inc|py|lua|rb|p[lm]|mk|exs|h)$/i;

/** Documents of a user or a team, unlike those of a program. */
const OWN_DOCUMENTS = /^((?:\/root|\/srv|\/home\/[^/]+)\/)(?:docs?|documents?)\//i;

const withoutOwnFolder = (path: string): string =>
  path.startsWith("/etc/")
    ? path.replace(/([._-])defaults?(?=[._-])/g, "$1")
    : path.replace(OWN_DOCUMENTS, "$1").replace(/\.example\.(?:com|net|org)$|-defaults\.conf$/, "");

export const fileKindOf = (path: string): FileKind => ({
  // Daemons read their own `/etc/bacula/bacula-fd-default.conf`.
  isSample: SAMPLE.test(withoutOwnFolder(path)),
  isTranslation: TRANSLATION.test(path),
  isGenerated: GENERATED.test(path),
  isSettings: SETTINGS.test(path),
});
