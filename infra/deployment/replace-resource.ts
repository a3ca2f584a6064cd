/** Removes a resource from a template, and replaces all references to it by the values of an existing one. */
import { isObject, type Template } from '../service.ts'

/** Values of `Ref` and `Fn::GetAtt`. */
export interface Known {
  ref: string
  attributes: Record<string, string>
}

/** Changes the template. Throws if it refers to an attribute that is not known. */
export const replaceResource = (template: Template, id: string, known: Known): void => {
  delete template.Resources[id]
  for (const resource of Object.values(template.Resources)) {
    const { DependsOn } = resource
    if (DependsOn === undefined) continue
    const others = [DependsOn].flat().filter((other) => other !== id)
    if (others.length > 0) resource.DependsOn = others
    else delete resource.DependsOn
  }
  const attribute = (name: string): string => {
    const value = known.attributes[name]
    if (value === undefined) throw new Error(`${id}.${name} is not known`)
    return value
  }
  const replaced = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(replaced)
    if (!isObject(value)) return value
    const { Ref, 'Fn::GetAtt': getAtt, 'Fn::Sub': sub } = value
    if (Ref === id) return known.ref
    const [of, name] = typeof getAtt === 'string' ? getAtt.split('.', 2) : Array.isArray(getAtt) ? getAtt : []
    if (of === id) return attribute(String(name))
    if (typeof sub === 'string') return { 'Fn::Sub': substituted(sub) }
    if (Array.isArray(sub)) return { 'Fn::Sub': [substituted(String(sub[0])), replaced(sub[1])] }
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, replaced(inner)]))
  }
  const substituted = (text: string): string =>
    text.replaceAll(/\$\{([A-Za-z0-9]+)(?:\.([A-Za-z0-9.]+))?\}/g, (reference, of, name) => {
      if (of !== id) return reference
      return name === undefined ? known.ref : attribute(name)
    })
  Object.assign(template, replaced(template))
}
