"""Five conversations of one person with an assistant, over a year: she moves, changes jobs and puts a slip right."""

SESSIONS = [
    {
        "id": "2025-02-03",
        "started": "2025-02-03T18:00:00+01:00",
        "turns": [
            {"role": "user", "text": "Hi! I'm Noor. I live in Utrecht and I work at a bakery as a pastry chef."},
            {"role": "assistant", "text": "Nice to meet you, Noor. What can I do for you?"},
            {"role": "user", "text": "I'm allergic to hazelnuts, so no recipes with those. I have a cat called Pim."},
            {"role": "user", "text": "How do I keep a sourdough starter alive while I'm away?"},
        ],
    },
    {
        "id": "2025-05-11",
        "started": "2025-05-11T09:30:00+02:00",
        "turns": [
            {"role": "user", "text": "For recipes always give me grams, never cups."},
            {"role": "assistant", "text": "Grams it is."},
            {"role": "user", "text": "At home I prefer tea, at work I prefer coffee. Which tea goes with rhubarb?"},
            {"role": "user", "text": "I have to send the supplier list to Daan by Friday."},
        ],
    },
    {
        "id": "2025-09-02",
        "started": "2025-09-02T20:15:00+02:00",
        "turns": [
            {"role": "user", "text": "Big news: I moved to Ghent last month! Pim hated the drive."},
            {"role": "assistant", "text": "Congratulations! How is the new place?"},
            {"role": "user", "text": "Small, but the light is lovely. Is the tram pass worth it?"},
        ],
    },
    {
        "id": "2025-11-20",
        "started": "2025-11-20T21:00:00+01:00",
        "turns": [
            {"role": "user", "text": "Since 1 November I work at Le Pain Perdu, a restaurant. I'm not at the bakery any more."},
            {"role": "user", "text": "I sent the supplier list to Daan, that's done."},
            {"role": "user", "text": "My birthday is on 14 March. Oops, typo, I mean 15 March."},
        ],
    },
    {
        "id": "2026-01-17",
        "started": "2026-01-17T10:00:00+01:00",
        "turns": [
            {"role": "user", "text": "I might move back to Utrecht one day, who knows."},
            {"role": "user", "text": "I'm planning to open a small lunch place in September."},
            {"role": "assistant", "text": "A lot of work! Since you live in Utrecht, have you looked at rents there?"},
            {"role": "user", "text": "Thanks, good night!"},
        ],
    },
]
