/** Cases of the engine proof: 40 schemas, each with a prompt. Of 20, the right answer is known. */
import { z } from 'zod';

/** One form that a model fills in. */
export interface FormCase {
  readonly name: string;
  readonly prompt: string;
  readonly schema: z.ZodObject;
  /** Members of the right answer. Absent if the text has no single one. */
  readonly right?: Readonly<Record<string, unknown>>;
}

const MEETING =
  'Board meeting on 14 May 2026 at 15:30 in room B-204. Chair: Ines Falk. The museum needs a new roof for 48,000 euros. Vote: six for, one against. Next meeting on 11 June 2026.';
const INVOICE =
  'Invoice 2026-0417 from Harbor Paint Ltd to the Tide Hotel. 12 buckets of white paint at 30 euros each, 4 brushes at 5 euros each. Total: 380 euros. To be paid by 30 September 2026 to pay@harbor-paint.example.';
const LETTER =
  'Dear Ms Okafor, the lift in house 7 has been broken since Monday. My mother is 84 years old and lives on the fifth floor. Please repair it this week. Call me at +49 30123456. Regards, Jonas Weber';
const RELEASE =
  'Version 2.4.1 of Lantern is out. It fixes a crash on start, adds dark mode, and drops support for Node 18. Download: https://lantern.example/get. The old server at 10.0.0.7 goes offline on 2026-12-01T08:00:00Z.';
const RECIPE =
  'Onion soup for 4 people: 6 onions, 1 liter of broth, 50 grams of butter, salt. Cut the onions, brown them in butter for 30 minutes, add the broth, cook for 20 minutes. Easy, and vegetarian if the broth is.';

/** The texts of all cases. */
export const NOTES: readonly string[] = [MEETING, INVOICE, LETTER, RELEASE, RECIPE];

/** The prompt of a form. */
export const formPrompt = (note: string): string => `Read the note and fill in the form.\n${note}`;

function form(
  name: string,
  note: string,
  shape: z.ZodRawShape,
  right?: Readonly<Record<string, unknown>>,
): FormCase {
  return { name, prompt: formPrompt(note), schema: z.object(shape), ...(right !== undefined && { right }) };
}

/** A comment and its replies. */
const Comment = z.object({
  text: z.string().max(60),
  get replies() {
    return z.array(Comment).max(2);
  },
});

/** In the order in which they are asked. The first are the short form. */
export const FORM_CASES: readonly FormCase[] = [
  form('date', MEETING, { meeting: z.iso.date() }, { meeting: '2026-05-14' }),
  form('room', MEETING, { room: z.string().regex(/^[A-Z]-\d{3}$/u) }, { room: 'B-204' }),
  form('kind', INVOICE, { kind: z.enum(['meeting', 'invoice', 'letter']) }, { kind: 'invoice' }),
  form('share', MEETING, { share: z.number().min(0).max(1) }),
  form('topics', MEETING, { topics: z.array(z.string()) }),
  form('people', MEETING, {
    people: z.array(z.object({ name: z.string(), role: z.string().nullable() })),
  }),
  form('verdict', MEETING, { passed: z.boolean(), why: z.string() }, { passed: true }),
  form(
    'votes',
    MEETING,
    { for: z.int().min(0).max(20), against: z.int().min(0).max(20) },
    { for: 6, against: 1 },
  ),
  form('time', MEETING, { at: z.iso.time({ precision: -1 }) }, { at: '15:30' }),
  form('phone', LETTER, { phone: z.string().regex(/^\+\d{1,3} \d{4,12}$/u) }, { phone: '+49 30123456' }),
  form('slug', RELEASE, {
    slug: z
      .string()
      .regex(/^[\w-]+$/u)
      .max(30),
  }),
  form('tens', RECIPE, { minutes: z.int().multipleOf(10).min(0).max(200) }),
  form('map', MEETING, { votes: z.record(z.string(), z.int()) }),
  form('chair', MEETING, { chair: z.string().max(40) }, { chair: 'Ines Falk' }),
  form('money', MEETING, { euros: z.number().min(0) }, { euros: 48_000 }),
  form('version', RELEASE, { version: z.string().regex(/^\d+\.\d+\.\d+$/u) }, { version: '2.4.1' }),
  form('url', RELEASE, { url: z.url() }, { url: 'https://lantern.example/get' }),
  form('ipv4', RELEASE, { server: z.ipv4() }, { server: '10.0.0.7' }),
  form('moment', RELEASE, { offline: z.iso.datetime() }, { offline: '2026-12-01T08:00:00Z' }),
  form('email', INVOICE, { payTo: z.email() }, { payTo: 'pay@harbor-paint.example' }),
  form('number', INVOICE, { invoice: z.string().regex(/^\d{4}-\d{4}$/u) }, { invoice: '2026-0417' }),
  form(
    'total',
    INVOICE,
    { total: z.int(), currency: z.enum(['EUR', 'USD']) },
    { total: 380, currency: 'EUR' },
  ),
  form('lines', INVOICE, {
    lines: z
      .array(z.object({ item: z.string().max(40), count: z.int().min(1), price: z.number().min(0) }))
      .min(1)
      .max(5),
  }),
  form('parties', INVOICE, { from: z.object({ name: z.string() }), to: z.object({ name: z.string() }) }),
  form('age', LETTER, { age: z.int().min(0).max(130) }, { age: 84 }),
  form('floor', LETTER, { floor: z.literal([1, 2, 3, 4, 5, 6]) }, { floor: 5 }),
  form('weekday', LETTER, { since: z.enum(['Monday', 'Tuesday', 'Friday', 'Sunday']) }, { since: 'Monday' }),
  form('urgent', LETTER, { isUrgent: z.boolean() }, { isUrgent: true }),
  form('summary', LETTER, { summary: z.string().min(10).max(120) }),
  form('reply', LETTER, { subject: z.string().min(3).max(60), body: z.string().min(20).max(400) }),
  form('optional', LETTER, { sender: z.string().max(40), company: z.string().max(40).optional() }),
  form('changes', RELEASE, {
    changes: z
      .array(z.object({ kind: z.enum(['fix', 'feature', 'removal']), text: z.string().max(80) }))
      .max(6),
  }),
  form('servings', RECIPE, { people: z.int().min(1).max(12), isVegetarian: z.boolean() }, { people: 4 }),
  form('tuple', RECIPE, { range: z.tuple([z.int().min(0).max(60), z.int().min(0).max(240)]) }),
  form('union', RECIPE, {
    effort: z.union([
      z.object({ type: z.literal('easy'), minutes: z.int().min(1).max(120) }),
      z.object({ type: z.literal('hard'), reason: z.string().max(60) }),
    ]),
  }),
  form('amounts', RECIPE, { amounts: z.record(z.string(), z.number()) }),
  form('steps', RECIPE, { steps: z.array(z.string().max(80)).min(2).max(6) }),
  form('percent', RECIPE, { butterShare: z.number().min(0).max(100).multipleOf(0.5) }),
  form('thread', LETTER, { comment: Comment }),
  form('nested', MEETING, {
    meeting: z.object({
      on: z.iso.date(),
      place: z.object({ room: z.string().max(10), floor: z.int().min(0).max(9) }),
      tags: z.array(z.enum(['roof', 'money', 'staff'])).max(3),
    }),
  }),
];
