module understudy

go 1.26
