/** Evaluates the statements of a role for a call as IAM does, for the part of IAM's language that this service uses. */

/** https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements.html */
export interface Statement {
  Effect: 'Allow'
  Action: string[]
  Resource: unknown
  Condition?: Conditions
}

/** By operator, then by condition key. */
export type Conditions = Record<string, Record<string, string | string[]>>

export interface Call {
  /** As IAM names it: `dynamodb:GetItem`. */
  action: string
  resource: string
  /** Values of condition keys that the request has. */
  context: Record<string, string[]>
}

/** Whether a function may make a call. */
export type IsAllowed = (functionKey: string, call: Call) => boolean

/** Whether one of the statements allows the call, whose resource has the name that `resourceName` gives. */
export const allows = (statements: readonly Statement[], call: Call): boolean =>
  statements.some(
    ({ Action, Resource, Condition = {} }) =>
      Action.includes(call.action) &&
      [Resource].flat().some((resource) => resourceName(resource) === call.resource) &&
      Object.entries(Condition).every(([operator, keys]) =>
        Object.entries(keys).every(([key, expected]) => holds(operator, call.context[key], [expected].flat())),
      ),
  )

/** The logical id of a resource of the template, and what of it: `Table`, `Table/index/due`. */
export const resourceName = (resource: unknown): string => {
  const text = JSON.stringify(resource)
  const [, id, path = ''] =
    text.match(/^\{"Fn::GetAtt":\["(\w+)","Arn"\]\}$/) ??
    text.match(/^\{"Fn::Sub":"\$\{(\w+)\.Arn\}(\/[\w/]+)?"\}$/) ??
    []
  return id === undefined ? text : `${id}${path}`
}

/**
 * `ForAllValues` holds where there is no value at all, and so does a negated operator:
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition-single-vs-multi-valued-context-keys.html
 */
const holds = (operator: string, values: string[] | undefined, expected: string[]): boolean => {
  switch (operator) {
    case 'Null':
      return expected.includes(String(values === undefined))
    case 'StringLike':
      return values?.length === 1 && values.every((value) => isLike(value, expected))
    case 'StringNotLike':
      return values === undefined || values.every((value) => !isLike(value, expected))
    case 'ForAllValues:StringLike':
      return values === undefined || values.every((value) => isLike(value, expected))
    default:
      throw new Error(`no role uses the operator ${operator} yet`)
  }
}

const expressions = new Map<string, RegExp>()

/** Whether one of the patterns matches: `*` stands for any text, `?` for one character. */
export const isLike = (value: string, patterns: readonly string[]): boolean =>
  patterns.some((pattern) => {
    const known = expressions.get(pattern) ?? toExpression(pattern)
    expressions.set(pattern, known)
    return known.test(value)
  })

const toExpression = (pattern: string): RegExp => {
  const escaped = pattern.replace(/[.+^${}()|[\]\\]/g, '\\$&')
  return new RegExp(`^${escaped.replaceAll('*', '.*').replaceAll('?', '.')}$`, 's')
}
