/** As `spanishUtterances`, in English. */
export const englishUtterances = `
hi there | greet
hello | greet
good morning | greet
hey | greet
thanks a lot | thanks
thank you so much | thanks
thx bye | thanks, goodbye
goodbye | goodbye
see you tomorrow | goodbye | 11-25
have a nice day | goodbye
can I talk to a real person? | person
I want to speak to someone | person
human please | person
let me speak with the manager | person
is there someone I can talk to | person
can somebody call me back | person
I need a human not a bot | person
connect me with an agent | person
I'd like to book an appointment | book
can i get an appointment for tomorrow at 5 | book | 11-25 17:00
need an appt asap | book | 11-24..
do you have any openings on Friday? | book | 11-27
book me in for a cleaning on Thursday morning | book | 11-26 morning
I want to schedule a visit next week | book | 11-30..12-06
any availability today? | book | 11-24
can I come in tomorrow afternoon? | book | 11-25 afternoon
could you fit me in on Monday at 10 | book | 11-30 10:00
I need to see the dentist | book
appointment for Friday at 3pm please | book | 11-27 15:00
can I bring my car in on Monday? | book | 11-30
set up an appointment with Dr Ramirez | book
looking for an appointment between 10 and 12 on Friday | book | 11-27 10:00-12:00
hi, do you have any slots this weekend | greet, book | 11-28..11-29
i wanna make an apointment | book
can we schedule something for the 27th | book | 11-27
I'd like to reserve a time on Wednesday or Friday | book | 11-25..11-27 !11-26
please cancel my appointment | cancel
I need to cancel | cancel
I can't make it tomorrow | cancel | !11-25
cancel my Thursday appointment | cancel | @11-26
I won't be able to make it | cancel
I dont need the appointment anymore | cancel
call off my visit | cancel
I have to cancel my booking on Friday | cancel | @11-27
I need to reschedule | move
can I move my appointment to Friday? | move | 11-27
change my appointment to 5pm | move | 17:00
could we push my appointment to next week | move | 11-30..12-06
move my Thursday appointment to Friday | move | 11-27 @11-26
can I change the time of my appointment | move
is it possible to postpone my visit | move
I'd like a different time for my appointment | move
resched pls | move
when is my appointment? | mine
do I have an appointment tomorrow | mine | 11-25
what appointments do I have | mine
what time is my appointment on Thursday? | mine | @11-26
can you remind me of my appointment | mine
my next appointment | mine
my email is john@example.com | contact
I want to change my email | contact
please update my name | contact
my name is April May | contact
add my email: jane_doe@example.org | contact
what are your hours? | hours
are you open on Sunday? | hours | 11-29
what time do you close | hours
when do you open tomorrow? | hours | 11-25
opening hours | hours
r u open today | hours | 11-24
what services do you offer? | services
which treatments do you have | services
list of services please | services
who works there? | agendas
which doctors do you have | agendas
who would I see | agendas
where are you located? | address
what's your address | address
how do I get there | address
where is the shop | address
never mind | forget
forget it | forget
no thanks | forget, no, thanks
maybe later | forget
can you repeat that | repeat
sorry, I didn't understand | repeat
come again? | repeat
yes | yes
yes please | yes
sure, go ahead | yes
sounds good | yes
ok that works | yes
no | no
nope | no
that doesn't work for me | no
not that one | no
do you take credit cards? |
how much is a cleaning |
do you ship to Canada |
my tooth hurts |
what is your return policy? |
do you have this in blue |
how much do you charge and when do you open? | hours
can I book for Friday and do you have parking? | book | 11-27
hi I'm June and I need an appointment on Friday | greet, book | 11-27
`;
