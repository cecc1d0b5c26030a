import { bubblewrap } from '../bubblewrap.ts';
import { declareGitEscapes } from '../../../../../test/declare-git-escapes.ts';

declareGitEscapes(() => bubblewrap({ egress: 'none' }));
