import * as v from 'valibot'
export const Submission = v.looseObject({
  descriptor_map: v.array(v.looseObject({ id: v.string(), path: v.string() })),
})
