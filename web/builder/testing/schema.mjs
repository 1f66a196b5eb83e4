/** Judges values by a JSON Schema, as far as the ones here need it; a keyword that it does not know is an error. Used by tests alone. */

/**
 * Why a value is not of a schema, each with where; none: it is.
 * @param {any} schema
 * @param {any} value
 * @param {any} [root]
 * @param {string} [at]
 * @returns {string[]}
 */
export function faults(schema, value, root = schema, at = "") {
  return Object.entries(schema).flatMap(([keyword, rule]) => {
    const judge = KEYWORDS[keyword];
    if (!judge) throw new Error(`not a keyword known here: ${keyword}`);
    return judge(rule, value, (sub, inner = value, name = "") => faults(sub, inner, root, `${at}${name}`), { schema, root, at });
  });
}

const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

const IS = {
  object: isObject,
  array: Array.isArray,
  string: (value) => typeof value === "string",
  number: (value) => typeof value === "number",
  integer: Number.isInteger,
  boolean: (value) => typeof value === "boolean",
  null: (value) => value === null,
};

const fault = (wrong, at, what) => (wrong ? [`${at || "the value"}: ${what}`] : []);

const KEYWORDS = {
  $schema: () => [],
  $comment: () => [],
  $defs: () => [],
  $ref: (name, _value, sub, { root }) => sub(name.slice(2).split("/").reduce((part, key) => part[key], root)),
  type: (types, value, _sub, { at }) => fault(![types].flat().some((type) => IS[type](value)), at, `is no ${types}`),
  enum: (list, value, _sub, { at }) => fault(!list.includes(value), at, `is none of ${list}`),
  pattern: (pattern, value, _sub, { at }) => fault(IS.string(value) && !new RegExp(pattern).test(value), at, `${value} is not of ${pattern}`),
  minLength: (n, value, _sub, { at }) => fault(IS.string(value) && value.length < n, at, "is too short"),
  maxLength: (n, value, _sub, { at }) => fault(IS.string(value) && value.length > n, at, "is too long"),
  minimum: (n, value, _sub, { at }) => fault(IS.number(value) && value < n, at, `is less than ${n}`),
  minItems: (n, value, _sub, { at }) => fault(Array.isArray(value) && value.length < n, at, "has too few"),
  maxItems: (n, value, _sub, { at }) => fault(Array.isArray(value) && value.length > n, at, "has too many"),
  items: (schema, value, sub) => (Array.isArray(value) ? value.flatMap((one, i) => sub(schema, one, `/${i}`)) : []),
  prefixItems: (schemas, value, sub) => (Array.isArray(value) ? schemas.flatMap((one, i) => sub(one, value[i], `/${i}`)) : []),
  required: (names, value, _sub, { at }) => names.flatMap((name) => fault(isObject(value) && !(name in value), at, `has no ${name}`)),
  properties: (all, value, sub) =>
    isObject(value) ? Object.entries(all).flatMap(([name, schema]) => (name in value ? sub(schema, value[name], `/${name}`) : [])) : [],
  propertyNames: (schema, value, sub) => (isObject(value) ? Object.keys(value).flatMap((name) => sub(schema, name, `/${name}`)) : []),
  additionalProperties: (rule, value, sub, { schema, at }) => {
    if (!isObject(value)) return [];
    const others = Object.keys(value).filter((name) => !(name in (schema.properties ?? {})));
    return rule === false ? others.flatMap((name) => fault(true, at, `has ${name}`)) : others.flatMap((name) => sub(rule, value[name], `/${name}`));
  },
  oneOf: (list, value, sub, { at }) => {
    const judged = list.map((schema) => sub(schema, value));
    return fault(judged.filter((found) => !found.length).length !== 1, at, `is not one of: ${judged.flat().join("; ")}`);
  },
  not: (schema, value, sub, { at }) => fault(!sub(schema, value).length, at, "is what it must not be"),
};
